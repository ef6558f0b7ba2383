#include "linn/recommend/baselines/history_vectors.h"

#include <algorithm>
#include <cassert>

#include "linn/kernels/elementwise.h"

namespace linn {

HistoryVectors::HistoryVectors(ParameterSet& parameters, DislikeMode dislikes, std::size_t width)
    : dislikes_(dislikes), width_(width) {
  assert(dislikes != DislikeMode::kLogic);
  if (dislikes == DislikeMode::kNetwork) {
    first_.emplace(parameters, "dislike.first", width, width);
    second_.emplace(parameters, "dislike.second", width, width);
  }
}

void HistoryVectors::forward(const ParameterSet& parameters, const EmbeddingTable& liked, const EmbeddingTable* second,
                             std::span<const Event> events, const MatrixView& x, Cache& cache) const {
  assert(x.rows == events.size() && x.cols == width_);
  cache.disliked.clear();
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    assert(event.liked || dislikes_ != DislikeMode::kNone);
    const EmbeddingTable& table = in_second_table(event) ? *second : liked;
    std::copy_n(table.row(event.item), width_, x.row(i));
    if (!event.liked) cache.disliked.push_back(static_cast<std::uint32_t>(i));
  }
  if (dislikes_ == DislikeMode::kMinus) {
    for (const std::uint32_t row : cache.disliked) scale(width_, -1.0F, x.row(row));
  }
  if (dislikes_ == DislikeMode::kNetwork && !cache.disliked.empty()) {
    for (Matrix* matrix : {&cache.inputs, &cache.hidden, &cache.outputs})
      matrix->reshape(cache.disliked.size(), width_);
    gather_rows(x, cache.disliked, cache.inputs.view());
    first_->forward(parameters, cache.inputs.view(), cache.hidden.view(), cache.first);
    relu(cache.hidden.span().size(), cache.hidden.data(), cache.hidden.data());
    second_->forward(parameters, cache.hidden.view(), cache.outputs.view(), cache.second);
    scatter_rows(cache.outputs.view(), cache.disliked, x);
  }
}

void HistoryVectors::backward(const ParameterSet& parameters, ParameterGradients& gradients, const MatrixView& dx,
                              Cache& cache) const {
  if (dislikes_ == DislikeMode::kMinus) {
    for (const std::uint32_t row : cache.disliked) scale(width_, -1.0F, dx.row(row));
  }
  if (dislikes_ == DislikeMode::kNetwork && !cache.disliked.empty()) {
    cache.dhidden.reshape(cache.disliked.size(), width_);
    cache.dinputs.reshape(cache.disliked.size(), width_);
    gather_rows(dx, cache.disliked, cache.outputs.view());
    second_->backward(parameters, gradients, cache.hidden.view(), cache.outputs.view(), cache.dhidden.view(),
                      cache.second);
    relu_backward(cache.hidden.span().size(), cache.hidden.data(), cache.dhidden.data(), cache.dhidden.data());
    first_->backward(parameters, gradients, cache.inputs.view(), cache.dhidden.view(), cache.dinputs.view(),
                     cache.first);
    scatter_rows(cache.dinputs.view(), cache.disliked, dx);
  }
}

}  // namespace linn
