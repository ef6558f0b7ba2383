#include "linn/nn/product_truth.h"

#include <algorithm>
#include <cassert>
#include <string_view>

#include "linn/kernels/elementwise.h"
#include "linn/kernels/matmul.h"

namespace linn {
namespace {

std::size_t find_parameter(const ParameterSet& parameters, std::string_view name) {
  const auto list = parameters.list();
  const auto found = std::ranges::find(list, name, &ParameterInfo::name);
  assert(found != list.end());
  return static_cast<std::size_t>(found - list.begin());
}

}  // namespace

bool has_product_truth(const NetworkOptions& options) {
  return options.structure(Gate::kAnd) == Structure::kProduct && options.similarity == SimilarityKind::kDot;
}

ProductTruth::ProductTruth(const LogicNetwork& network)
    : network_(network),
      left_{find_parameter(network.parameters(), "and.product_left"), {}, std::vector<AlignedArray<float>>(kLaneCount)},
      right_{
          find_parameter(network.parameters(), "and.product_right"), {}, std::vector<AlignedArray<float>>(kLaneCount)} {
  assert(has_product_truth(network.options()));
}

void ProductTruth::queries(std::size_t rows, const float* a, float* q, ThreadPool& threads) const {
  const std::size_t d = network_.width();
  const float* weight = network_.parameters().value(left_.parameter).data;
  const float* truth = network_.true_vector().data();
  for_each_block(threads, rows, [&](std::size_t, std::size_t, std::size_t begin, std::size_t end) {
    matmul({end - begin, d, d}, by_rows(a + begin * d, d), weight, d, q + begin * d, d);
    for (std::size_t row = begin; row < end; ++row) multiply(d, truth, q + row * d, q + row * d);
  });
}

void ProductTruth::keys(std::size_t rows, const float* b, float* k, ThreadPool& threads) const {
  const std::size_t d = network_.width();
  const float* weight = network_.parameters().value(right_.parameter).data;
  for_each_block(threads, rows, [&](std::size_t, std::size_t, std::size_t begin, std::size_t end) {
    matmul({end - begin, d, d}, by_rows(b + begin * d, d), weight, d, k + begin * d, d);
  });
}

void ProductTruth::queries_backward(std::size_t rows, const float* a, float* d_q, float* d_a, ThreadPool& threads) {
  const std::size_t d = network_.width();
  const float* truth = network_.true_vector().data();
  for_each_block(threads, rows, [&](std::size_t, std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) multiply(d, truth, d_q + row * d, d_q + row * d);
  });
  side_backward(left_, rows, a, d_q, d_a, threads);
}

void ProductTruth::keys_backward(std::size_t rows, const float* b, const float* d_k, float* d_b, ThreadPool& threads) {
  side_backward(right_, rows, b, d_k, d_b, threads);
}

// y = x W:  dx = dy Wᵀ, dW = xᵀ dy, summed by lanes.
void ProductTruth::side_backward(Side& side, std::size_t rows, const float* x, const float* d_y, float* d_x,
                                 ThreadPool& threads) {
  const std::size_t d = network_.width();
  side.transposed.reshape(d * d);
  transpose(d, d, network_.parameters().value(side.parameter).data, d, side.transposed.data(), d);
  for (AlignedArray<float>& lane : side.lanes) {
    lane.reshape(d * d);
    lane.fill(0.0F);
  }
  for_each_block(threads, rows, [&](std::size_t lane, std::size_t, std::size_t begin, std::size_t end) {
    matmul({end - begin, d, d}, by_rows(d_y + begin * d, d), side.transposed.data(), d, d_x + begin * d, d);
    matmul({d, d, end - begin}, transposed(x + begin * d, d), d_y + begin * d, d, side.lanes[lane].data(), d,
           {.accumulate = true});
  });
}

void ProductTruth::add_gradients(ParameterGradients& gradients) const {
  for (const Side* side : {&left_, &right_}) {
    for (const AlignedArray<float>& lane : side->lanes) {
      axpy(lane.size(), 1.0F, lane.data(), gradients.of(side->parameter).data);
    }
  }
}

}  // namespace linn
