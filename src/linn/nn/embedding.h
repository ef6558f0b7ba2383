// Tables of vectors, one row per variable, item or user.
//
// They are kept apart from the other parameters because a batch touches few of their rows: a step passes on the
// gradients of those rows alone, and the optimizer updates the others when they are next read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "linn/base/aligned.h"
#include "linn/base/random.h"

namespace linn {

// A row-major table; row i begins at row(0) + i * width().
class EmbeddingTable {
 public:
  // All zeros. The name identifies the table in files.
  EmbeddingTable(std::string name, std::size_t rows, std::size_t width);

  const std::string& name() const { return name_; }
  std::size_t rows() const { return rows_; }
  std::size_t width() const { return width_; }

  float* row(std::size_t i) { return values_.data() + i * width_; }
  const float* row(std::size_t i) const { return values_.data() + i * width_; }
  std::span<float> values() { return values_.span(); }
  std::span<const float> values() const { return values_.span(); }

  // Draws every value from N(0, deviation), row after row.
  void initialize_normal(Random& random, float deviation);

 private:
  std::string name_;
  std::size_t rows_;
  std::size_t width_;
  AlignedArray<float> values_;
};

// The mean norm of the rows; 0 without rows.
double mean_norm(const EmbeddingTable& table);

// The gradient of a table in one step: that of rows[i] begins at values + i * width. All other rows have gradient zero.
struct SparseGradient {
  std::span<const std::uint32_t> rows;  // distinct, ascending
  const float* values = nullptr;
};

}  // namespace linn
