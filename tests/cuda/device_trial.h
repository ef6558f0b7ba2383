// One pass on the device, for comparison with the CPU.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>

#include "nn/random_network.h"

namespace linn::cuda {

// Within a share of the largest element: sums are taken in another order.
inline void expect_near(std::span<const float> expected, std::span<const float> found, const char* what,
                        float share = 2e-4F) {
  ASSERT_EQ(expected.size(), found.size()) << what;
  float largest = 1e-3F;
  for (const float value : expected) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(expected[i], found[i], share * largest) << what << " [" << i << "] of " << expected.size();
  }
}

class DeviceTrial {
 public:
  explicit DeviceTrial(const LogicNetwork& network);
  ~DeviceTrial();

  EngineResult run(const Plan& plan, std::span<const float> table, std::span<const float> d_scores,
                   const RegularizerOptions& regularizers, Random& random, bool avoid_chains);
  bool uses_chains() const;

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

// The factor of dropout on the element at a place.
float factor_of_dropout(std::uint64_t seed, std::uint64_t place, float rate);

}  // namespace linn::cuda
