// The service without sockets: takes requests, says who answers them, and what is answered.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "app/serve/background.h"
#include "app/serve/http_message.h"
#include "app/serve/model_shelf.h"
#include "app/serve/routes.h"
#include "app/serve/serve_options.h"
#include "app/serve/service_metrics.h"

namespace linn::app {

class Service {
 public:
  explicit Service(ServeOptions options);

  // Loads the models. Requests may come in before: those for models are then answered with 503. Throws InputError if a
  // run cannot be served.
  void load() { shelf_.load(); }

  // Answers a request in time or soon after, on any thread, possibly before it returns. `head` says that the
  // method was HEAD, whose answers have no body.
  void answer(const HttpRequest& request, const TimeLimit& time, Respond respond);

  // What the sockets know.
  struct Connections {
    std::atomic<std::size_t> open{0};
    std::atomic<std::uint64_t> refused{0};
    std::atomic<std::size_t> in_flight{0};
  };
  Connections& connections() { return connections_; }
  ServiceMetrics& metrics() { return metrics_; }
  const ServeOptions& options() const { return options_; }
  // Whether the answer takes no time, and should not wait for those that do.
  static bool is_immediate(const HttpRequest& request) { return request.target.starts_with("/health/"); }
  // The id of the route that a request fits, for metrics.
  std::string route_id(const HttpRequest& request) const;

 private:
  std::vector<Route> make_routes();
  void route(const HttpRequest& request, const TimeLimit& time, const Respond& respond);
  void check_host(const HttpRequest& request) const;
  void check_access(const HttpRequest& request, bool is_open) const;
  HttpResponse preflight(const HttpRequest& request, const Target& target) const;

  ServeOptions options_;
  Connections connections_;
  ServiceMetrics metrics_;
  ModelShelf shelf_;
  Router router_;
  std::string openapi_;
  Background background_;  // the first to end
};

}  // namespace linn::app
