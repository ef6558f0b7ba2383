#include "linn/base/json.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace linn {
namespace {

constexpr std::size_t kMaxDepth = 32;
constexpr std::size_t kMaxKeys = 20'000;  // of one object
// Three characters, such as {}, or "", become up to a hundred bytes. Only lists of names are long, and these have no
// objects.
constexpr std::size_t kMaxContainers = 200'000;
constexpr std::size_t kMaxValues = 20'000'000;

// Whether nesting, objects and the number of values are within bounds. Says nothing about text that is not JSON.
bool is_within_bounds(std::string_view text) {
  std::array<std::size_t, kMaxDepth + 1> keys = {};
  std::size_t depth = 0;
  std::size_t containers = 0;
  std::size_t values = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '"':
        quoted = !quoted;
        break;
      case '\\':
        ++i;  // occurs in strings only
        break;
      case '{':
      case '[':
        if (quoted) break;
        if (++depth > kMaxDepth || ++containers > kMaxContainers) return false;
        keys[depth] = 0;
        break;
      case '}':
      case ']':
        if (!quoted && depth > 0) --depth;
        break;
      case ':':
        if (!quoted && ++keys[depth] > kMaxKeys) return false;
        break;
      case ',':
        if (!quoted && ++values > kMaxValues) return false;
        break;
      default:
        break;
    }
  }
  return true;
}

}  // namespace

Json parse_json(const std::string& text) {
  if (!is_within_bounds(text)) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

}  // namespace linn

using StringAdapter = nlohmann::detail::iterator_input_adapter<std::string::const_iterator>;

template class nlohmann::basic_json<nlohmann::ordered_map>;
template class nlohmann::detail::serializer<linn::Json>;
template class nlohmann::detail::lexer<linn::Json, StringAdapter>;
template class nlohmann::detail::parser<linn::Json, StringAdapter>;
