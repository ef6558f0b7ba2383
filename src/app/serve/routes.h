// The requests that the service answers, as one table: the router and /openapi.json are made from it.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/serve/http_message.h"
#include "app/serve/schema.h"
#include "app/serve/served_model.h"

namespace linn::app {

// The time that a request may take.
struct TimeLimit {
  std::chrono::steady_clock::time_point deadline;
  const std::atomic<bool>* stop = nullptr;  // is set once nobody waits for the answer any more

  // Throws Problem 503 if there is no time left. Long work calls it now and then.
  void check() const;
};

// A request that fits a route, with its parameters checked.
struct Call {
  const HttpRequest& request;
  std::string model_name;                    // where the path has {model}
  std::shared_ptr<const ServedModel> model;  // where the route needs one
  Json query;                                // by name, with initial values
  Json body;                                 // the same; null without one
  TimeLimit time;
};

struct Route {
  enum class Needs : std::uint8_t { kNothing, kName, kModel };

  std::string method;   // GET or POST; HEAD goes where GET does
  std::string path;     // /v1/models/{model}/items
  std::string id;       // a word for metrics and OpenAPI
  std::string summary;  // a line
  Needs needs = Needs::kNothing;
  bool is_open = false;  // needs no token
  std::vector<Schema::Field> query = {};
  std::optional<Schema> body = std::nullopt;
  std::string answer_type = "application/json";
  std::string answer = {};  // what comes back, a line
  std::function<void(const Call&, Respond)> handle = {};

  // For a route that answers at once.
  static std::function<void(const Call&, Respond)> at_once(std::function<HttpResponse(const Call&)> answer);
};

// A path and its query, decoded.
struct Target {
  std::string path;
  std::vector<std::string> segments;  // without the empty one before the first slash
  std::vector<std::pair<std::string, std::string>> query;

  // Throws Problem 400.
  static Target parse(const std::string& text);
};

class Router {
 public:
  explicit Router(std::vector<Route> routes) : routes_(std::move(routes)) {}

  const std::vector<Route>& routes() const { return routes_; }

  // The route of a request; null if no path fits. Throws Problem 405 if the path does and the method does not.
  const Route* find(const std::string& method, const Target& target) const;
  // What stands for {model} in the path of its route.
  static std::string model_name(const Route& route, const Target& target);
  // The methods of a path, such as "GET, HEAD"; empty if it has none.
  std::string methods(const Target& target) const;

 private:
  std::vector<Route> routes_;
};

}  // namespace linn::app
