#include "linn/recommend/baselines/svdpp.h"

#include <cmath>

#include "linn/kernels/elementwise.h"

namespace linn {
namespace {

float factor_of(const SequenceBatch& batch, std::size_t sequence) {
  return 1.0F / std::sqrt(static_cast<float>(batch.length(sequence)));
}

}  // namespace

void SvdppEncoder::forward(const ParameterSet& /*parameters*/, const SequenceBatch& batch, const ConstMatrixView& x,
                           Random* /*random*/, const MatrixView& q, Memory& /*memory*/) const {
  fill_matrix(q, 0);
  for (std::size_t i = 0; i < batch.sequences(); ++i) {
    const float factor = factor_of(batch, i);
    for (std::size_t t = 0; t < batch.length(i); ++t) axpy(x.cols, factor, x.row(batch.row(i, t)), q.row(i));
  }
}

void SvdppEncoder::backward(const ParameterSet& /*parameters*/, ParameterGradients& /*gradients*/,
                            const SequenceBatch& batch, const ConstMatrixView& /*x*/, const ConstMatrixView& dq,
                            const MatrixView& dx, Memory& /*memory*/) const {
  fill_matrix(dx, 0);
  for (std::size_t i = 0; i < batch.sequences(); ++i) {
    const float factor = factor_of(batch, i);
    for (std::size_t t = 0; t < batch.length(i); ++t) axpy(dx.cols, factor, dq.row(i), dx.row(batch.row(i, t)));
  }
}

QueryDesign svdpp_design() {
  return {.user_vectors = true, .item_biases = true, .history_vectors = true, .make_encoder = [](ParameterSet&) {
            return std::make_unique<SvdppEncoder>();
          }};
}

}  // namespace linn
