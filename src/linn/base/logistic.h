// The logistic function, from a score to a probability.
#pragma once

#include <cmath>

namespace linn {

inline float logistic(float score) { return 1.0F / (1.0F + std::exp(-score)); }
inline double logistic(double score) { return 1.0 / (1.0 + std::exp(-score)); }

}  // namespace linn
