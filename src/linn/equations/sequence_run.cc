#include "linn/equations/sequence_run.h"

namespace linn {

void SequenceRun::forward(const SequenceNetwork& network, const EmbeddingTable& table, const TokenSequences& sequences,
                          std::span<float> scores, float dropout, Random* random) {
  batch_.assign(sequences.lengths);
  tokens_.resize(batch_.rows());
  batch_.pack<std::uint32_t>(sequences.tokens, tokens_);
  x_.reshape(batch_.rows(), table.width());
  gather_rows({table.row(0), table.rows(), table.width(), table.width()}, tokens_, x_.view());
  dropout_ = Dropout(static_cast<double>(dropout));
  dropout_.forward(x_.view(), random, x_.view(), dropout_cache_);
  scores_.reshape(batch_.sequences(), 1);
  network.forward(batch_, x_.view(), scores_.view(), cache_);
  scatter_rows(scores_.view(), batch_.order(), {scores.data(), scores.size(), 1, 1});
}

void SequenceRun::backward(const SequenceNetwork& network, ParameterGradients& gradients,
                           std::span<const float> d_scores) {
  d_scores_.reshape(batch_.sequences(), 1);
  gather_rows({d_scores.data(), d_scores.size(), 1, 1}, batch_.order(), d_scores_.view());
  dx_.reshape(x_.rows(), x_.cols());
  network.backward(gradients, batch_, x_.view(), d_scores_.view(), dx_.view(), cache_);
  dropout_.backward(dx_.view(), dx_.view(), dropout_cache_);
}

}  // namespace linn
