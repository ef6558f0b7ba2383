#include "linn/equations/sequence_step.h"

#include <algorithm>

#include "linn/kernels/elementwise.h"
#include "linn/nn/losses.h"

namespace linn {

SequenceStep::SequenceStep(SequenceNetwork& network, EmbeddingTable& tokens, Optimizer& optimizer, ThreadPool& pool,
                           float dropout, double label_noise)
    : network_(network), tokens_(tokens), optimizer_(optimizer), pool_(pool), dropout_(dropout), label_noise_(label_noise) {
  for (Shard& shard : shards_) shard.parameters = network.parameters();
}

double SequenceStep::run(std::span<const NormalForm> forms, std::span<const std::uint32_t> rows,
                         std::span<const float> labels, Random& random) {
  fill(forms, rows, labels, random);
  catch_up();
  pool_.run(kShards, [&](std::size_t i, std::size_t) { compute(shards_[i]); });

  network_.parameters().clear_gradients();
  gradients_.clear();
  double loss = 0.0;
  for (Shard& shard : shards_) {
    if (shard.sequences.size() == 0) continue;
    const std::span<float> sum = network_.parameters().gradients();
    axpy(sum.size(), 1.0F, shard.parameters.gradients().data(), sum.data());
    gradients_.add(shard.run.tokens(), shard.run.gradients());
    loss += shard.loss;
  }
  gradients_.merge();
  const SparseGradient gradient = {gradients_.rows(), gradients_.values().data};
  optimizer_.step(pool_, {&gradient, 1});
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

// The rows of the table that the batch reads.
void SequenceStep::catch_up() {
  met_.clear();
  for (const Shard& shard : shards_) {
    met_.insert(met_.end(), shard.sequences.tokens.begin(), shard.sequences.tokens.end());
  }
  std::ranges::sort(met_);
  met_.erase(std::ranges::unique(met_).begin(), met_.end());
  optimizer_.catch_up(pool_, 0, met_);
}

void SequenceStep::compute(Shard& shard) const {
  const std::size_t size = shard.sequences.size();
  if (size == 0) return;
  std::ranges::copy(network_.parameters().values(), shard.parameters.values().begin());
  shard.parameters.clear_gradients();
  shard.scores.resize(size);
  shard.d_scores.resize(size);
  shard.run.forward(network_, shard.parameters, tokens_, shard.sequences, shard.scores, dropout_,
                    dropout_ > 0.0F ? &shard.random : nullptr);
  shard.loss = cross_entropy(shard.scores, shard.labels, label_noise_, shard.d_scores);
  shard.run.backward(network_, shard.parameters, shard.d_scores);
}

}  // namespace linn
