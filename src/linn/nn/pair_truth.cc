#include "linn/nn/pair_truth.h"

#include <algorithm>
#include <cassert>
#include <string_view>

#include "linn/kernels/elementwise.h"
#include "linn/kernels/matmul.h"
#include "linn/kernels/pair_relu.h"
#include "linn/kernels/rows.h"

namespace linn {
namespace {}  // namespace

bool has_pair_truth(const NetworkOptions& options) {
  if (options.similarity != SimilarityKind::kDot) return false;
  switch (options.structure(Gate::kAnd)) {
    case Structure::kProduct:
      return true;
    case Structure::kMlpProduct:
      return options.gate.depth == 1 && options.gate.activation == Activation::kRelu;
    default:
      return false;
  }
}

PairTruth::PairTruth(const LogicNetwork& network)
    : network_(network),
      hidden_(network.hidden(Gate::kAnd)),
      left_(make_side("and.product_left")),
      right_(make_side("and.product_right")) {
  assert(has_pair_truth(network.options()));
  if (hidden_ == 0) return;
  layer_ = HiddenLayer{.left = make_side("and.left"),
                       .right = make_side("and.right"),
                       .bias = network.parameters().find("and.bias"),
                       .out = network.parameters().find("and.out"),
                       .out_bias = std::nullopt,
                       .d_bias = AlignedArray<float>(hidden_),
                       .d_weights = AlignedArray<float>(hidden_)};
  if (network.options().gate.output_bias) layer_->out_bias = network.parameters().find("and.out_bias");
}

PairTruth::Side PairTruth::make_side(const char* name) const {
  const std::size_t parameter = network_.parameters().find(name);
  return {parameter, network_.parameters().value(parameter).cols, {}, std::vector<AlignedArray<float>>(kLaneCount)};
}

void PairTruth::reshape(std::size_t rows, PairQueries& gradients) const {
  gradients.product.reshape(rows * network_.width());
  gradients.hidden.reshape(rows * hidden_);
  gradients.weights.reshape(hidden_);
}

void PairTruth::reshape(std::size_t rows, PairKeys& gradients) const {
  gradients.product.reshape(rows * network_.width());
  gradients.hidden.reshape(rows * hidden_);
}

void PairTruth::queries(std::size_t rows, const float* a, PairQueries& out, ThreadPool& threads) const {
  const std::size_t d = network_.width();
  const float* truth = network_.true_vector().data();
  reshape(rows, out);
  float* q = out.product.data();
  for_each_block(threads, rows, [&](std::size_t, std::size_t, std::size_t begin, std::size_t end) {
    matmul({end - begin, d, d}, by_rows(a + begin * d, d), value(left_.parameter), d, q + begin * d, d);
    for (std::size_t row = begin; row < end; ++row) multiply(d, truth, q + row * d, q + row * d);
    if (!layer_) return;
    matmul({end - begin, hidden_, d}, by_rows(a + begin * d, d), value(layer_->left.parameter), hidden_,
           out.hidden.data() + begin * hidden_, hidden_, {.bias = value(layer_->bias)});
  });
  if (layer_) dot_rows(hidden_, d, {value(layer_->out), d}, {truth, 0}, out.weights.data());
}

void PairTruth::keys(std::size_t rows, const float* b, PairKeys& out, ThreadPool& threads) const {
  const std::size_t d = network_.width();
  reshape(rows, out);
  for_each_block(threads, rows, [&](std::size_t, std::size_t, std::size_t begin, std::size_t end) {
    const auto project = [&](const Side& side, float* to) {
      matmul({end - begin, side.columns, d}, by_rows(b + begin * d, d), value(side.parameter), side.columns,
             to + begin * side.columns, side.columns);
    };
    project(right_, out.product.data());
    if (layer_) project(layer_->right, out.hidden.data());
  });
}

void PairTruth::truths(const PairQueries& queries, std::size_t query, const PairKeys& keys, std::size_t count,
                       const std::uint32_t* picked, float* out) const {
  const std::size_t d = network_.width();
  dot_rows(count, d, {queries.product.data() + query * d, 0}, {keys.product.data(), d, picked}, out);
  if (!layer_) return;
  add_pair_relu_rows(count, hidden_, {queries.hidden.data() + query * hidden_, 0},
                     {keys.hidden.data(), hidden_, picked}, queries.weights.data(), out);
  if (!layer_->out_bias) return;
  const float shared = dot(d, value(*layer_->out_bias), network_.true_vector().data());
  for (std::size_t i = 0; i < count; ++i) out[i] += shared;
}

void PairTruth::queries_backward(std::size_t rows, const float* a, PairQueries& d, float* d_a, ThreadPool& threads) {
  const std::size_t width = network_.width();
  const float* truth = network_.true_vector().data();
  float* d_q = d.product.data();
  for_each_block(threads, rows, [&](std::size_t, std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) multiply(width, truth, d_q + row * width, d_q + row * width);
  });
  side_backward(left_, rows, a, d_q, d_a, false, threads);
  if (!layer_) return;
  side_backward(layer_->left, rows, a, d.hidden.data(), d_a, true, threads);
  layer_->d_bias.fill(0.0F);
  add_rows(rows, hidden_, d.hidden.data(), hidden_, layer_->d_bias.data());
  std::copy_n(d.weights.data(), hidden_, layer_->d_weights.data());
}

void PairTruth::keys_backward(std::size_t rows, const float* b, const PairKeys& d, float* d_b, ThreadPool& threads) {
  side_backward(right_, rows, b, d.product.data(), d_b, false, threads);
  if (layer_) side_backward(layer_->right, rows, b, d.hidden.data(), d_b, true, threads);
}

// y = x W:  dx = dy Wᵀ, or added to it, and dW = xᵀ dy, summed by lanes.
void PairTruth::side_backward(Side& side, std::size_t rows, const float* x, const float* d_y, float* d_x,
                              bool accumulate, ThreadPool& threads) {
  const std::size_t d = network_.width();
  const std::size_t columns = side.columns;
  side.transposed.reshape(d * columns);
  transpose(d, columns, value(side.parameter), columns, side.transposed.data(), d);
  for (std::size_t i = 0; i < side.lanes.size(); ++i) {
    side.lanes[i].reshape(i < lanes_of(threads) ? d * columns : 0);
    side.lanes[i].fill(0.0F);
  }
  for_each_block(threads, rows, [&](std::size_t lane, std::size_t, std::size_t begin, std::size_t end) {
    matmul({end - begin, d, columns}, by_rows(d_y + begin * columns, columns), side.transposed.data(), d,
           d_x + begin * d, d, {.accumulate = accumulate});
    matmul({d, columns, end - begin}, transposed(x + begin * d, d), d_y + begin * columns, columns,
           side.lanes[lane].data(), columns, {.accumulate = true});
  });
}

void PairTruth::add_gradients(ParameterGradients& gradients) const {
  const auto add = [&](const Side& side) {
    for (const AlignedArray<float>& lane : side.lanes) {
      axpy(lane.size(), 1.0F, lane.data(), gradients.of(side.parameter).data);
    }
  };
  add(left_);
  add(right_);
  if (!layer_) return;
  add(layer_->left);
  add(layer_->right);
  axpy(hidden_, 1.0F, layer_->d_bias.data(), gradients.of(layer_->bias).data);
  const std::size_t d = network_.width();
  for (std::size_t h = 0; h < hidden_; ++h) {
    axpy(d, layer_->d_weights[h], network_.true_vector().data(), gradients.of(layer_->out).data + h * d);
  }
}

}  // namespace linn
