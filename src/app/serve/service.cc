#include "app/serve/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/serve/openapi.h"
#include "app/serve/page_files.h"
#include "app/serve/problem.h"
#include "app/serve/route_groups.h"
#include "app/serve/strict_json.h"
#include "linn/base/options.h"
#include "linn/base/utf8.h"

namespace linn::app {
namespace {

constexpr std::size_t kMaxShown = 100;

// The time it takes does not tell how much of a wrong token is right.
bool same_secret(std::string_view given, std::string_view secret) {
  unsigned char differs = given.size() == secret.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    differs = static_cast<unsigned char>(differs | static_cast<unsigned char>(given[i] ^ secret[i % secret.size()]));
  }
  return differs == 0;
}

std::string_view content_type_of(std::string_view path) {
  const std::pair<std::string_view, std::string_view> types[] = {
      {".html", "text/html; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".mjs", "text/javascript; charset=utf-8"},
      {".json", "application/json"},
      {".webmanifest", "application/manifest+json"},
      {".svg", "image/svg+xml"},
      {".png", "image/png"},
      {".ico", "image/x-icon"},
      {".woff2", "font/woff2"},
      {".txt", "text/plain; charset=utf-8"},
  };
  for (const auto& [ending, type] : types) {
    if (path.ends_with(ending)) return type;
  }
  return "application/octet-stream";
}

const PageFile* find_page_file(std::string_view path) {
  if (path == "/") path = "/index.html";
  for (const PageFile& file : page_files()) {
    if (path.substr(1) == file.path) return &file;
  }
  return nullptr;
}

// The page may load nothing but what the program carries, and nobody may frame it.
constexpr const char* kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src "
    "'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

HttpResponse page_response(const PageFile& file, const HttpRequest& request) {
  HttpResponse response;
  const std::string tag = fmt::format("\"{}\"", file.tag);
  response.headers = {{"ETag", tag}, {"Cache-Control", "no-cache"}, {"Content-Security-Policy", kPagePolicy}};
  response.content_type = content_type_of(file.path);
  if (request.if_none_match == tag) {
    response.status = 304;
  } else {
    response.body = file.content;
  }
  return response;
}

Json read_parameters(const Route& route, const Target& target) {
  Json query = Json::object();
  for (const auto& [name, text] : target.query) {
    const auto field = std::ranges::find(route.query, name, &Schema::Field::name);
    if (field == route.query.end()) {
      std::vector<std::string> known;
      for (const Schema::Field& other : route.query) known.push_back(other.name);
      const std::string near = nearest_word(name, known);
      throw Problem(400, fmt::format("unknown parameter '{}'{}", printable(name, kMaxShown),
                                     near.empty() ? "" : fmt::format(", did you mean '{}'?", near)));
    }
    if (query.contains(name)) throw Problem(400, "given twice", name);
    query[name] = field->schema.parse(text, name);
  }
  Schema::object("", route.query).check(query);  // adds what is absent
  return query;
}

Json read_body(const Route& route, const HttpRequest& request) {
  if (!route.body) {
    if (!request.body.empty()) throw Problem(400, "this request takes no body");
    return nullptr;
  }
  const std::string_view type = std::string_view(request.content_type).substr(0, request.content_type.find(';'));
  if (!type.empty() && type != "application/json") {
    throw Problem(415, fmt::format("expected application/json, not {}", printable(type, kMaxShown)));
  }
  Json body = parse_body(request.body);
  route.body->check(body);
  return body;
}

}  // namespace

Service::Service(ServeOptions options) : options_(std::move(options)), shelf_(options_), router_(make_routes()) {
  std::vector<std::string> models;
  for (const NamedRun& run : options_.runs) models.push_back(run.name);
  openapi_ = openapi(router_.routes(), models, !options_.token.empty()).dump(2) + "\n";
}

std::vector<Route> Service::make_routes() {
  std::vector<Route> routes;
  const auto get = [&](const char* path, const char* id, const char* summary, const char* answer, bool is_open,
                       std::function<HttpResponse(const Call&)> handle) -> Route& {
    Route route;
    route.method = "GET";
    route.path = path;
    route.id = id;
    route.summary = summary;
    route.answer = answer;
    route.is_open = is_open;
    route.handle = Route::at_once(std::move(handle));
    return routes.emplace_back(std::move(route));
  };
  get("/health/live", "live", "Whether the service runs", "`status`, which is ok", true, [](const Call&) {
    return HttpResponse::json({{"status", "ok"}});
  });
  get("/health/ready", "ready", "Whether the models are loaded", "`status`, which is ok", true, [this](const Call&) {
    if (!shelf_.is_ready()) throw Problem(503, "the models are still being loaded").with_header("Retry-After", "1");
    return HttpResponse::json({{"status", "ok"}});
  });
  get("/metrics", "metrics", "Counts and times, for Prometheus", "The text format of Prometheus", false,
      [this](const Call&) {
        HttpResponse response;
        response.content_type = "text/plain; version=0.0.4; charset=utf-8";
        response.body = metrics_.text({shelf_.size(), shelf_.loads(), shelf_.failures(), connections_.open,
                                       connections_.refused, connections_.in_flight});
        return response;
      })
      .answer_type = "text/plain";
  get("/openapi.json", "openapi", "This table", "OpenAPI 3.1", true, [this](const Call&) {
    HttpResponse response;
    response.body = openapi_;
    return response;
  });
  add_model_routes(shelf_, background_, routes);
  add_recommend_routes(options_.limits, routes);
  add_equation_routes(options_.limits, routes);
  return routes;
}

// A page of another site can make a browser ask this machine under the site's own name; it cannot make it say another.
void Service::check_host(const HttpRequest& request) const {
  if (!options_.token.empty() || request.host.empty()) return;
  std::string name = request.host;
  if (name.starts_with('[')) {
    name = name.substr(1, name.find(']') - 1);
  } else {
    name = name.substr(0, name.find(':'));
  }
  const bool is_number = name.find_first_not_of("0123456789.") == std::string::npos;
  if (name == "localhost" || name == "::1" || (name.starts_with("127.") && is_number)) return;
  throw Problem(403, fmt::format("this service is for its own machine: ask localhost, not {}; a service for other "
                                 "names needs --token-file",
                                 printable(request.host, kMaxShown)));
}

void Service::check_access(const HttpRequest& request, bool is_open) const {
  if (is_open || options_.token.empty()) return;
  constexpr std::string_view kBearer = "bearer ";  // in any case
  const std::string_view given = request.authorization;
  if (fold_case(given.substr(0, kBearer.size())) == kBearer &&
      same_secret(given.substr(kBearer.size()), options_.token)) {
    return;
  }
  throw Problem(401, "this request needs the token of the service, as Authorization: Bearer TOKEN")
      .with_header("WWW-Authenticate", "Bearer");
}

HttpResponse Service::preflight(const HttpRequest& request, const Target& target) const {
  const std::string allowed = router_.methods(target);
  if (options_.cors.empty() || request.origin.empty() || allowed.empty()) {
    throw Problem(405, "this address takes no OPTIONS").with_header("Allow", allowed.empty() ? "GET, HEAD" : allowed);
  }
  HttpResponse response;
  response.status = 204;
  response.headers = {{"Access-Control-Allow-Methods", allowed},
                      {"Access-Control-Allow-Headers", "Authorization, Content-Type"},
                      {"Access-Control-Max-Age", "600"}};
  return response;
}

void Service::route(const HttpRequest& request, const TimeLimit& time, const Respond& respond) {
  check_host(request);
  const Target target = Target::parse(request.target);
  if (request.method == "OPTIONS") return respond(preflight(request, target));
  const Route* route = router_.find(request.method, target);
  if (route == nullptr) {
    const PageFile* file = find_page_file(target.path);
    if (file == nullptr) throw Problem(404, fmt::format("there is nothing at {}", printable(target.path, kMaxShown)));
    if (request.method != "GET" && request.method != "HEAD") {
      throw Problem(405, fmt::format("this address takes GET, HEAD, not {}", printable(request.method, kMaxShown)))
          .with_header("Allow", "GET, HEAD");
    }
    return respond(page_response(*file, request));
  }
  check_access(request, route->is_open);
  Call call{request, Router::model_name(*route, target), nullptr, nullptr, nullptr, time};
  if (route->needs == Route::Needs::kModel) call.model = shelf_.find(call.model_name);
  call.query = read_parameters(*route, target);
  call.body = read_body(*route, request);
  call.time.check();
  route->handle(call, respond);
}

void Service::answer(const HttpRequest& request, const TimeLimit& time, Respond respond) {
  // An answer that is kept may come later, on another thread.
  bool is_taken = false;
  HttpResponse problem = answer_of([&] {
    route(request, time, respond);
    is_taken = true;
    return HttpResponse{};
  });
  if (!is_taken) respond(std::move(problem));
}

std::string Service::route_id(const HttpRequest& request) const {
  try {
    const Target target = Target::parse(request.target);
    const Route* route = router_.find(request.method, target);
    if (route != nullptr) return route->id;
    return find_page_file(target.path) != nullptr ? "page" : "none";
  } catch (const Problem&) {
    return "none";
  }
}

}  // namespace linn::app
