#include "app/serve/service_metrics.h"

#include <fmt/format.h>

#include <iterator>

#include "linn/version.h"

namespace linn::app {

void ServiceMetrics::count(const std::string& route, int status, double seconds) {
  const std::lock_guard lock(mutex_);
  ++requests_[{route, status}];
  Latencies& latencies = latencies_[route];
  for (std::size_t i = 0; i < kBounds.size(); ++i) latencies.within[i] += seconds <= kBounds[i] ? 1 : 0;
  ++latencies.count;
  latencies.sum += seconds;
}

std::string ServiceMetrics::text(const ServiceGauges& gauges) const {
  std::string text;
  auto out = std::back_inserter(text);
  const auto family = [&](const char* name, const char* type, const char* help) {
    fmt::format_to(out, "# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
  };
  const auto single = [&](const char* name, const char* type, const char* help, auto value) {
    family(name, type, help);
    fmt::format_to(out, "{} {}\n", name, value);
  };
  const std::lock_guard lock(mutex_);
  family("linn_requests_total", "counter", "Requests answered, by route and status.");
  for (const auto& [key, count] : requests_) {
    fmt::format_to(out, "linn_requests_total{{route=\"{}\",status=\"{}\"}} {}\n", key.first, key.second, count);
  }
  family("linn_request_errors_total", "counter", "Requests that were the service's fault: status 500 and above.");
  std::map<std::string, std::uint64_t> errors;
  for (const auto& [key, count] : requests_) errors[key.first] += key.second >= 500 ? count : 0;
  for (const auto& [route, count] : errors) {
    fmt::format_to(out, "linn_request_errors_total{{route=\"{}\"}} {}\n", route, count);
  }
  family("linn_request_seconds", "histogram", "Time from the end of a request to its answer.");
  for (const auto& [route, latencies] : latencies_) {
    for (std::size_t i = 0; i < kBounds.size(); ++i) {
      fmt::format_to(out, "linn_request_seconds_bucket{{route=\"{}\",le=\"{}\"}} {}\n", route, kBounds[i],
                     latencies.within[i]);
    }
    fmt::format_to(out, "linn_request_seconds_bucket{{route=\"{}\",le=\"+Inf\"}} {}\n", route, latencies.count);
    fmt::format_to(out, "linn_request_seconds_sum{{route=\"{}\"}} {}\n", route, latencies.sum);
    fmt::format_to(out, "linn_request_seconds_count{{route=\"{}\"}} {}\n", route, latencies.count);
  }
  single("linn_models", "gauge", "Models that are served.", gauges.models);
  single("linn_model_loads_total", "counter", "Models loaded, those of --watch included.", gauges.loads);
  single("linn_model_load_failures_total", "counter", "New models that could not be loaded.", gauges.load_failures);
  single("linn_connections", "gauge", "Open connections.", gauges.connections);
  single("linn_connections_refused_total", "counter", "Connections refused because there were too many.",
         gauges.connections_refused);
  single("linn_requests_in_flight", "gauge", "Requests being answered.", gauges.requests_in_flight);
  return text;
}

}  // namespace linn::app
