// What /metrics tells: counts and times of requests, in the text format of Prometheus.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace linn::app {

// Values that others keep.
struct ServiceGauges {
  std::size_t models = 0;
  std::uint64_t loads = 0;
  std::uint64_t load_failures = 0;
  std::size_t connections = 0;
  std::uint64_t connections_refused = 0;
  std::size_t requests_in_flight = 0;
};

class ServiceMetrics {
 public:
  // `route` is the id of a route, or another word for what fits none.
  void count(const std::string& route, int status, double seconds);

  std::string text(const ServiceGauges& gauges) const;

 private:
  static constexpr std::array<double, 12> kBounds = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                                     0.05,   0.1,   0.25,   1.0,   5.0,  30.0};
  struct Latencies {
    std::array<std::uint64_t, kBounds.size()> within = {};  // at most so long
    std::uint64_t count = 0;
    double sum = 0.0;
  };

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, std::uint64_t> requests_;
  std::map<std::string, Latencies> latencies_;
};

}  // namespace linn::app
