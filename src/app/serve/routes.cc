#include "app/serve/routes.h"

#include <fmt/format.h>

#include <utility>

#include "app/serve/problem.h"
#include "linn/base/utf8.h"

namespace linn::app {
namespace {

constexpr std::string_view kModelSegment = "{model}";

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Percent-encoding, and in a query + for a space.
std::string decode(std::string_view text, bool is_query) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0) throw Problem(400, "the address has a % that two hexadecimal digits do not follow");
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      decoded += is_query && text[i] == '+' ? ' ' : text[i];
    }
  }
  if (!is_valid_utf8(decoded) || decoded.find('\0') != std::string::npos) {
    throw Problem(400, "the address is not UTF-8");
  }
  return decoded;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool fits(const Route& route, const Target& target) {
  const auto wanted = split(std::string_view(route.path).substr(1), '/');
  if (wanted.size() != target.segments.size()) return false;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] != kModelSegment && wanted[i] != target.segments[i]) return false;
  }
  return true;
}

bool takes(const Route& route, const std::string& method) {
  return route.method == method || (route.method == "GET" && method == "HEAD");
}

}  // namespace

void TimeLimit::check() const {
  if (std::chrono::steady_clock::now() < deadline) return;
  throw Problem(503, "this request takes too long; ask for less at once").with_header("Retry-After", "1");
}

std::function<void(const Call&, Respond)> Route::at_once(std::function<HttpResponse(const Call&)> answer) {
  return [answer = std::move(answer)](const Call& call, const Respond& respond) { respond(answer(call)); };
}

Target Target::parse(const std::string& text) {
  // A proxy may send the whole address, http://HOST/PATH.
  constexpr std::string_view kScheme = "http://";
  if (text.starts_with(kScheme)) {
    const std::size_t slash = text.find('/', kScheme.size());
    return parse(slash == std::string::npos ? "/" : text.substr(slash));
  }
  if (text.empty() || text[0] != '/') throw Problem(400, "the address does not begin with /");
  const std::size_t mark = std::min(text.find('?'), text.size());
  Target target;
  const std::string_view path = std::string_view(text).substr(1, mark - 1);
  for (const std::string_view segment : split(path, '/')) target.segments.push_back(decode(segment, false));
  target.path = decode(text.substr(0, mark), false);
  if (mark == text.size()) return target;
  for (const std::string_view part : split(std::string_view(text).substr(mark + 1), '&')) {
    if (part.empty()) continue;
    const std::size_t equals = std::min(part.find('='), part.size());
    target.query.emplace_back(decode(part.substr(0, equals), true),
                              equals == part.size() ? "" : decode(part.substr(equals + 1), true));
  }
  return target;
}

const Route* Router::find(const std::string& method, const Target& target) const {
  for (const Route& route : routes_) {
    if (takes(route, method) && fits(route, target)) return &route;
  }
  const std::string allowed = methods(target);
  if (allowed.empty()) return nullptr;
  throw Problem(405, fmt::format("this address takes {}, not {}", allowed, printable(method, 20)))
      .with_header("Allow", allowed);
}

std::string Router::model_name(const Route& route, const Target& target) {
  const auto wanted = split(std::string_view(route.path).substr(1), '/');
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == kModelSegment) return target.segments[i];
  }
  return {};
}

std::string Router::methods(const Target& target) const {
  std::string list;
  for (const Route& route : routes_) {
    if (!fits(route, target)) continue;
    list += (list.empty() ? "" : ", ") + route.method + (route.method == "GET" ? ", HEAD" : "");
  }
  return list;
}

}  // namespace linn::app
