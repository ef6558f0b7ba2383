// Compares gradients with finite differences.
//
//   const auto loss = [&] { layer.forward(parameters, x, y, cache); return weighted_sum(y, dy); };
//   loss();
//   layer.backward(parameters, gradients, x, dy, dx, cache);       // dy is the gradient of the weighted sum
//   EXPECT_TRUE(gradient_matches(x.span(), dx.span(), loss));
//   expect_parameter_gradients(parameters, gradients, loss);
//
// The functions compute in float32, so the difference of two losses has an error of about 1e-7 of the loss, and the
// step has to be large: 0.02. To reduce the truncation error, the central differences D for the steps h and h/2 are
// combined so that their errors of order h² cancel (Richardson extrapolation): (4·D(h/2) - D(h)) / 3.
//
// An element passes if its error is at most 1e-2 of itself or of the gradient's root mean square, whichever is larger,
// plus the rounding error. In addition, the cosine between the two gradients must be at least 0.9999, which finds
// errors that are small in every element, such as a forgotten term.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "linn/nn/parameters.h"

namespace linn {

struct GradientCheckOptions {
  double step = 0.02;  // of the larger of a value's size and the scale
  double scale = 1;    // the typical size of the values, or of the range over which the function is nearly straight
  double tolerance = 1e-2;
  double cosine = 0.9999;
  // The rounding error of a loss in units of float32's epsilon times 1 + |loss|. Larger if large terms cancel.
  double rounding = 16;
  // For functions with kinks (ReLU, max): the share of elements that may be at one. A step across a kink measures the
  // derivative of neither side; but then the slopes on both sides differ by more than the error, and only such elements
  // are excused. Smaller steps cross fewer kinks.
  double kinks = 0;
};

// Σ weights · values, a scalar loss whose gradient is the weights.
inline double weighted_sum(std::span<const float> values, std::span<const float> weights) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += double{values[i]} * double{weights[i]};
  return sum;
}

struct NumericDerivative {
  double value = 0;
  double bend = 0;  // how much the slopes before and behind the value differ
};

// The gradient of the loss by finite differences. Changes one value at a time, and restores it.
inline std::vector<NumericDerivative> numeric_gradient(std::span<float> values, const std::function<double()>& loss,
                                                       const GradientCheckOptions& options = {}) {
  std::vector<NumericDerivative> gradient;
  const double here = loss();
  for (float& value : values) {
    const float old = value;
    const double step = options.step * std::max(std::abs(double{old}), options.scale);
    NumericDerivative derivative;
    const auto difference = [&](double by) {
      // The actual steps after rounding to float32.
      value = static_cast<float>(old + by);
      const double up = double{value} - double{old};
      const double above = loss();
      value = static_cast<float>(old - by);
      const double down = double{old} - double{value};
      const double below = loss();
      derivative.bend = std::max(derivative.bend, std::abs((above - here) / up - (here - below) / down));
      return (above - below) / (up + down);
    };
    const double whole = difference(step);
    const double half = difference(step / 2);
    derivative.value = (4 * half - whole) / 3;
    gradient.push_back(derivative);
    value = old;
  }
  return gradient;
}

inline testing::AssertionResult gradient_matches(std::span<float> values, std::span<const float> gradient,
                                                 const std::function<double()>& loss,
                                                 const GradientCheckOptions& options = {}) {
  if (gradient.size() != values.size()) {
    return testing::AssertionFailure() << gradient.size() << " derivatives of " << values.size() << " values";
  }
  // Copies the gradient, since the loss may overwrite it.
  const std::vector<float> analytic(gradient.begin(), gradient.end());
  const double rounding = options.rounding * std::numeric_limits<float>::epsilon() * (1 + std::abs(loss())) /
                          (options.step * options.scale);
  const std::vector<NumericDerivative> numeric = numeric_gradient(values, loss, options);

  double square = 0;
  for (const NumericDerivative& derivative : numeric) square += derivative.value * derivative.value;
  const double root_mean_square = std::sqrt(square / static_cast<double>(std::max<std::size_t>(numeric.size(), 1)));

  std::vector<std::size_t> wrong;
  std::size_t excused = 0;
  double product = 0;
  double analytic_square = 0;
  double numeric_square = 0;
  for (std::size_t i = 0; i < numeric.size(); ++i) {
    const double given = analytic[i];
    const double expected = numeric[i].value;
    const double error = std::abs(given - expected);
    const double allowed =
        options.tolerance * std::max({std::abs(given), std::abs(expected), root_mean_square}) + rounding;
    // Written so that NaN fails.
    if (!(error <= allowed)) {
      const bool at_kink = error <= numeric[i].bend + allowed;
      if (at_kink && static_cast<double>(excused + 1) <= options.kinks * static_cast<double>(numeric.size())) {
        ++excused;
      } else {
        wrong.push_back(i);
      }
      continue;
    }
    product += given * expected;
    analytic_square += given * given;
    numeric_square += expected * expected;
  }

  if (!wrong.empty()) {
    testing::AssertionResult failure = testing::AssertionFailure();
    failure << wrong.size() << " of " << numeric.size() << " derivatives are wrong (" << excused << " more at kinks):";
    for (std::size_t k = 0; k < std::min<std::size_t>(wrong.size(), 10); ++k) {
      failure << "\n  [" << wrong[k] << "] is " << analytic[wrong[k]] << ", by differences " << numeric[wrong[k]].value;
    }
    return failure;
  }
  // If the gradient is zero up to rounding, its direction is meaningless.
  if (root_mean_square <= 4 * rounding) return testing::AssertionSuccess();
  const double cosine = product / std::sqrt(analytic_square * numeric_square);
  if (!(cosine >= options.cosine)) {
    return testing::AssertionFailure() << "the cosine between the gradient and the differences is " << cosine;
  }
  return testing::AssertionSuccess();
}

// Checks the gradients of all parameters, one at a time.
inline void expect_parameter_gradients(ParameterSet& parameters, const ParameterGradients& gradients,
                                       const std::function<double()>& loss, const GradientCheckOptions& options = {}) {
  for (const ParameterInfo& info : parameters.list()) {
    EXPECT_TRUE(gradient_matches(parameters.values().subspan(info.offset, info.size()),
                                 gradients.values().subspan(info.offset, info.size()), loss, options))
        << "of the parameter " << info.name;
  }
}

}  // namespace linn
