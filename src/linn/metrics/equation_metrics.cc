#include "linn/metrics/equation_metrics.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace linn {

EquationMetrics equation_metrics(std::span<const float> probabilities, std::span<const float> labels) {
  assert(probabilities.size() == labels.size());
  EquationMetrics metrics;
  metrics.count = labels.size();
  if (labels.empty()) return metrics;

  constexpr std::size_t kBins = 10;
  std::array<double, kBins> predicted{};
  std::array<double, kBins> observed{};
  // A confident wrong prediction would have infinite loss; probabilities are clamped to what a float can express.
  constexpr double kMinProbability = 1e-7;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double p = static_cast<double>(probabilities[i]);
    const double y = static_cast<double>(labels[i]);
    metrics.accuracy += (p >= 0.5) == (y >= 0.5) ? 1.0 : 0.0;
    metrics.rmse += (p - y) * (p - y);
    const double q = std::clamp(p, kMinProbability, 1.0 - kMinProbability);
    metrics.log_loss -= y * std::log(q) + (1.0 - y) * std::log(1.0 - q);
    // Phrased so that NaN falls into a bin too; RMSE and log loss reveal it.
    const std::size_t bin = p > 0.0 ? std::min(kBins - 1, static_cast<std::size_t>(std::min(p, 1.0) * kBins)) : 0;
    predicted[bin] += p;
    observed[bin] += y;
  }
  const auto n = static_cast<double>(labels.size());
  metrics.accuracy /= n;
  metrics.rmse = std::sqrt(metrics.rmse / n);
  metrics.log_loss /= n;
  for (std::size_t b = 0; b < kBins; ++b) metrics.calibration_error += std::abs(predicted[b] - observed[b]) / n;
  return metrics;
}

}  // namespace linn
