// The gradients of the parameters as a lane sums them.
//
// The gradient of a weight matrix is a sum of products xᵀ·dy over rows. With matrices that are wide for the batch, most
// of the time would go into clearing such a sum in every lane, and into reading and writing it for a few rows at a
// time. So a lane collects its rows. If they all fit, its sum is never stored: add_to() multiplies them at once and
// adds the result to the sum of all lanes. Rows are added in the order in which they came, so collecting them changes
// no bit.
#pragma once

#include <cstddef>
#include <vector>

#include "linn/base/aligned.h"
#include "linn/nn/parameters.h"

namespace linn {

class LaneGradients : public ParameterGradients {
 public:
  explicit LaneGradients(const ParameterSet& parameters);

  // Hides that of ParameterGradients.
  void clear();

  // Adds xᵀ·dy to the gradient of a weight with as many rows as x has columns, and as many columns as dy. The rows of x
  // have no gaps, those of dy are `dy_stride` apart; both may be overwritten afterwards. A gradient with products is
  // complete only in add_to(), and nothing else may be added to it.
  void add_product(std::size_t parameter, std::size_t rows, const float* x, const float* dy, std::size_t dy_stride);

  // Call it between the last product and add_to().
  void finish_products();

  // total += this gradient, in at most kMostColumns columns. Different columns may be added at once.
  static constexpr std::size_t kMostColumns = 64;  // as many as a matrix product takes at a time
  void add_to(std::size_t parameter, std::size_t begin, std::size_t end, const MatrixView& total);

 private:
  struct Products {
    bool is_used = false;    // since the lane was made; otherwise the sum is always stored
    bool is_stored = false;  // the sum of the rows before those collected
    std::size_t rows = 0;    // collected
    AlignedArray<float> x, dy;
  };
  void multiply(Products& products, const MatrixView& sum, std::size_t rows, const float* x, const float* dy,
                std::size_t dy_stride);

  std::vector<Products> products_;  // by parameter
};

}  // namespace linn
