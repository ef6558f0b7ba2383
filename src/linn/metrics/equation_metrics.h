// The quality of predicted truth values.
#pragma once

#include <cstddef>
#include <span>

namespace linn {

struct EquationMetrics {
  double accuracy = 0.0;           // fraction on the right side of 1/2; p = 1/2 counts as true
  double rmse = 0.0;               // root mean squared difference between p and the label
  double log_loss = 0.0;           // mean cross-entropy
  double calibration_error = 0.0;  // expected calibration error over ten bins of p
  std::size_t count = 0;
};

// All zero if there are no equations.
EquationMetrics equation_metrics(std::span<const float> probabilities, std::span<const float> labels);

}  // namespace linn
