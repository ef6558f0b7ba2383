// The dense parameters of a model: named matrices in one block of memory, and their gradients in another.
//
// One block each, so that the optimizer, the clipping and a sum of gradients between workers are single loops
// over contiguous memory. Embedding tables are kept apart (embedding.h): only few of their rows change a step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linn/base/aligned.h"
#include "linn/base/random.h"

namespace linn {

// A row-major matrix somewhere in memory.
struct MatrixView {
  float* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t stride = 0;  // floats from one row to the next

  float* row(std::size_t i) const { return data + i * stride; }
};

enum class ParameterKind : std::uint8_t { kWeight, kBias };

struct ParameterInfo {
  std::string name;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t offset = 0;  // of the first value in the block
  ParameterKind kind = ParameterKind::kWeight;

  std::size_t size() const { return rows * cols; }
};

class ParameterSet {
 public:
  // Adds a matrix of zeros and returns its number. A bias is a matrix of one row. Names are unique. Views taken
  // before are no longer valid.
  std::size_t add(std::string name, std::size_t rows, std::size_t cols, ParameterKind kind = ParameterKind::kWeight);

  MatrixView value(std::size_t parameter);
  MatrixView gradient(std::size_t parameter);

  // All values and all gradients, in the same order. Between two matrices there may be padding, always zero.
  std::span<float> values() { return values_.span(); }
  std::span<const float> values() const { return values_.span(); }
  std::span<float> gradients() { return gradients_.span(); }

  std::span<const ParameterInfo> list() const { return list_; }
  // The number of parameters that count, padding left out.
  std::size_t count() const;

  // Draws every value, biases included, from N(0, deviation), in the order of the list.
  void initialize_normal(Random& random, float deviation);
  void clear_gradients() { gradients_.fill(0.0F); }

 private:
  std::vector<ParameterInfo> list_;
  AlignedArray<float> values_;
  AlignedArray<float> gradients_;
};

}  // namespace linn
