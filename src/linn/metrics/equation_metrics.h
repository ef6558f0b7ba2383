// How good predicted truths of equations are.
#pragma once

#include <cstddef>
#include <span>

namespace linn {

struct EquationMetrics {
  double accuracy = 0.0;           // the share on the right side of 1/2; p = 1/2 counts as true
  double rmse = 0.0;               // root of the mean squared difference between p and the label
  double log_loss = 0.0;           // mean cross-entropy
  double calibration_error = 0.0;  // mean difference between how sure and how right, over ten bins of p
  std::size_t count = 0;
};

// All zero for no equations.
EquationMetrics equation_metrics(std::span<const float> probabilities, std::span<const float> labels);

}  // namespace linn
