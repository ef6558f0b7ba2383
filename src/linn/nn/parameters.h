// The dense parameters of a model: named matrices in one block of memory. Gradients have blocks of their own with the
// same layout, so a model that only answers holds values and nothing else.
//
// With one block each, the optimizer, gradient clipping and a sum of gradients over workers are single loops over
// contiguous memory. Embedding tables are kept apart (embedding.h), because a step changes few of their rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linn/base/aligned.h"
#include "linn/base/random.h"
#include "linn/kernels/matrix.h"

namespace linn {

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
  // Adds a matrix of zeros and returns its number. A bias is a matrix with one row. Names are unique. Invalidates the
  // views taken before.
  std::size_t add(std::string name, std::size_t rows, std::size_t cols, ParameterKind kind = ParameterKind::kWeight);

  // The number of the parameter of that name, which must exist.
  std::size_t find(std::string_view name) const;

  MatrixView value(std::size_t parameter);
  ConstMatrixView value(std::size_t parameter) const;

  // All values in the order of the list. The padding between two matrices is always zero.
  std::span<float> values() { return values_.span(); }
  std::span<const float> values() const { return values_.span(); }

  std::span<const ParameterInfo> list() const { return list_; }
  // The number of parameters without padding.
  std::size_t count() const;

  // Draws every value, including biases, from N(0, deviation), in the order of the list.
  void initialize_normal(Random& random, float deviation);

  // Draws weights from N(0, 2 / (rows + cols)) (Glorot & Bengio, 2010) in the order of the list, and leaves biases.
  void initialize_glorot(Random& random);

 private:
  std::vector<ParameterInfo> list_;
  AlignedArray<float> values_;
};

// The gradients of a set of parameters, laid out like its values. Starts as zeros.
class ParameterGradients {
 public:
  explicit ParameterGradients(const ParameterSet& parameters);

  MatrixView of(std::size_t parameter);

  std::span<float> values() { return values_.span(); }
  std::span<const float> values() const { return values_.span(); }

  void clear() { values_.fill(0.0F); }

 private:
  struct Place {
    std::size_t offset, rows, cols;
  };
  std::vector<Place> places_;
  AlignedArray<float> values_;
};

}  // namespace linn
