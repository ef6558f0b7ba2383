#include "linn/equations/sequence_step.h"

#include <algorithm>

#include "linn/kernels/elementwise.h"
#include "linn/nn/losses.h"

namespace linn {

SequenceStep::SequenceStep(SequenceNetwork& network, EmbeddingTable& tokens, Optimizer& optimizer, ThreadPool& pool,
                           float dropout, double label_noise)
    : network_(network),
      tokens_(tokens),
      optimizer_(optimizer),
      pool_(pool),
      dropout_(dropout),
      label_noise_(label_noise),
      gradients_(network.parameters()) {
  shards_.reserve(kShards);
  for (std::size_t i = 0; i < kShards; ++i) shards_.emplace_back(network);
}

double SequenceStep::run(std::span<const NormalForm> forms, std::span<const std::uint32_t> rows,
                         std::span<const float> labels, Random& random) {
  fill(forms, rows, labels, random);
  catch_up();
  pool_.run(kShards, [&](std::size_t i, std::size_t) { compute(shards_[i]); });

  gradients_.clear();
  token_gradients_.clear();
  double loss = 0.0;
  for (Shard& shard : shards_) {
    if (shard.sequences.size() == 0) continue;
    const std::span<float> sum = gradients_.values();
    axpy(sum.size(), 1.0F, shard.gradients.values().data(), sum.data());
    token_gradients_.add(shard.run.tokens(), shard.run.token_gradients());
    loss += shard.loss;
  }
  token_gradients_.merge();
  const SparseGradient of_tokens = {token_gradients_.rows(), token_gradients_.values().data};
  optimizer_.step(pool_, gradients_, {&of_tokens, 1});
  return loss;
}

void SequenceStep::fill(std::span<const NormalForm> forms, std::span<const std::uint32_t> rows,
                        std::span<const float> labels, Random& random) {
  const std::uint64_t seed = dropout_ > 0.0F ? random.next() : 0;
  for (std::size_t i = 0; i < kShards; ++i) {
    Shard& shard = shards_[i];
    shard.sequences.clear();
    shard.labels.clear();
    shard.random = Random(seed, i);
    for (std::size_t j = rows.size() * i / kShards; j < rows.size() * (i + 1) / kShards; ++j) {
      shard.sequences.add(forms[rows[j]]);
      shard.labels.push_back(labels[rows[j]]);
    }
  }
}

// Brings the rows of the table that the batch reads up to date.
void SequenceStep::catch_up() {
  distinct_.clear();
  for (const Shard& shard : shards_) {
    distinct_.insert(distinct_.end(), shard.sequences.tokens.begin(), shard.sequences.tokens.end());
  }
  std::ranges::sort(distinct_);
  distinct_.erase(std::ranges::unique(distinct_).begin(), distinct_.end());
  optimizer_.catch_up(pool_, 0, distinct_);
}

void SequenceStep::compute(Shard& shard) const {
  const std::size_t size = shard.sequences.size();
  if (size == 0) return;
  shard.gradients.clear();
  shard.scores.resize(size);
  shard.d_scores.resize(size);
  shard.run.forward(network_, tokens_, shard.sequences, shard.scores, dropout_,
                    dropout_ > 0.0F ? &shard.random : nullptr);
  shard.loss = cross_entropy(shard.scores, shard.labels, label_noise_, shard.d_scores);
  shard.run.backward(network_, shard.gradients, shard.d_scores);
}

}  // namespace linn
