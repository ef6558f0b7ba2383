#include "linn/nn/lane_gradients.h"

#include <algorithm>

#include "linn/kernels/matmul.h"
#include "linn/nn/lanes.h"

namespace linn {
namespace {

constexpr std::size_t kMostRows = kBlockRows;
// So many rows are worth a product of their own, without being copied.
constexpr std::size_t kEnoughRows = kMostRows / 2;

}  // namespace

void DelayedProducts::add(const ProductSum& sum, std::size_t rows, const float* x, const float* dy) {
  Pending& to = pending(sum);
  if (to.rows + rows > kMostRows) finish(to);
  if (to.rows == 0 && rows >= kEnoughRows) {
    multiply(sum, rows, x, dy);
    return;
  }
  std::copy_n(x, rows * sum.inputs, to.x.data() + to.rows * sum.inputs);
  std::copy_n(dy, rows * sum.outputs, to.dy.data() + to.rows * sum.outputs);
  to.rows += rows;
}

void DelayedProducts::finish() {
  for (Pending& pending : pending_) finish(pending);
}

DelayedProducts::Pending& DelayedProducts::pending(const ProductSum& sum) {
  const auto known = std::ranges::find(pending_, sum.data, [](const Pending& p) { return p.sum.data; });
  if (known != pending_.end()) return *known;
  Pending& added = pending_.emplace_back();
  added.sum = sum;
  added.x.reshape(kMostRows * sum.inputs);
  added.dy.reshape(kMostRows * sum.outputs);
  return added;
}

void DelayedProducts::multiply(const ProductSum& sum, std::size_t rows, const float* x, const float* dy) {
  matmul({sum.inputs, sum.outputs, rows}, transposed(x, sum.inputs), dy, sum.outputs, sum.data, sum.stride,
         {.accumulate = true});
}

void DelayedProducts::finish(Pending& pending) {
  if (pending.rows > 0) multiply(pending.sum, pending.rows, pending.x.data(), pending.dy.data());
  pending.rows = 0;
}

}  // namespace linn
