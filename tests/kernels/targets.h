// Helpers for the kernel tests: every test runs once for each instruction set of this machine, on arrays that begin at
// any offset and detect writes outside of them.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "linn/kernels/dispatch.h"

namespace linn {

class EveryInstructionSet : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ASSERT_TRUE(restrict_instruction_set(GetParam())); }
  void TearDown() override { restrict_instruction_set(""); }
};

#define LINN_TEST_EVERY_INSTRUCTION_SET(suite)                                                      \
  INSTANTIATE_TEST_SUITE_P(InstructionSets, suite, testing::ValuesIn(supported_instruction_sets()), \
                           [](const auto& instance) { return instance.param; })

// An array of random numbers in [-1, 1] that begins the given number of elements after an aligned address.
template <class T>
class ArrayOf {
 public:
  ArrayOf(std::size_t size, std::size_t offset, unsigned seed) : offset_(kGuard + offset), size_(size) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<T> uniform(-1, 1);
    all_.assign(offset_ + size + kGuard, kMark);
    for (std::size_t i = 0; i < size; ++i) all_[offset_ + i] = uniform(generator);
  }
  T* data() { return all_.data() + offset_; }
  T& operator[](std::size_t i) { return all_[offset_ + i]; }
  std::vector<T> values() const {
    const auto begin = all_.begin() + static_cast<std::ptrdiff_t>(offset_);
    return {begin, begin + static_cast<std::ptrdiff_t>(size_)};
  }

  // Nothing was written before or after the array.
  bool intact() const {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if ((i < offset_ || i >= offset_ + size_) && all_[i] != kMark) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kGuard = 32;
  static constexpr T kMark = -7.25;
  std::size_t offset_;
  std::size_t size_;
  std::vector<T> all_;
};
using Array = ArrayOf<float>;

// Lengths around the sizes of vectors and of the blocks made of them.
inline const std::vector<std::size_t> kLengths = {0,  1,  2,  3,  4,  5,  7,  8,  9,   15,  16,  17,  31,
                                                  32, 33, 47, 63, 64, 65, 79, 96, 100, 127, 128, 129, 300};
inline const std::vector<std::size_t> kOffsets = {0, 1, 3, 8, 13};

}  // namespace linn
