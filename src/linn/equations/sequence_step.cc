#include "linn/equations/sequence_step.h"

#include <algorithm>

#include "linn/kernels/elementwise.h"
#include "linn/nn/losses.h"

namespace linn {
namespace {

constexpr std::size_t kParts = 8;

}  // namespace

SequenceStep::SequenceStep(SequenceNetwork& network, EmbeddingTable& tokens, Optimizer& optimizer, ThreadPool& pool,
                           float dropout, double label_noise)
    : network_(network),
      tokens_(tokens),
      optimizer_(optimizer),
      pool_(pool),
      dropout_(dropout),
      label_noise_(label_noise),
      gradients_(network.parameters()) {
  const std::size_t parts = std::min(kParts, pool.most_lanes());
  parts_.reserve(parts);
  for (std::size_t i = 0; i < parts; ++i) parts_.emplace_back(network);
}

double SequenceStep::run(std::span<const NormalForm> forms, std::span<const std::uint32_t> rows,
                         std::span<const float> labels, Random& random) {
  read(forms, rows, labels, random);
  optimizer_.catch_up(pool_, 0, distinct_);
  const double loss = compute();
  const SparseGradient of_tokens = token_gradients();
  optimizer_.step(pool_, gradients_, {&of_tokens, 1});
  return loss;
}

void SequenceStep::read(std::span<const NormalForm> forms, std::span<const std::uint32_t> rows,
                        std::span<const float> labels, Random& random) {
  const std::uint64_t seed = dropout_ > 0.0F ? random.next() : 0;
  distinct_.clear();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    part.sequences.clear();
    part.labels.clear();
    part.random = Random(seed, i);
    for (std::size_t j = rows.size() * i / parts_.size(); j < rows.size() * (i + 1) / parts_.size(); ++j) {
      part.sequences.add(forms[rows[j]]);
      part.labels.push_back(labels[rows[j]]);
    }
    distinct_.insert(distinct_.end(), part.sequences.tokens.begin(), part.sequences.tokens.end());
  }
  std::ranges::sort(distinct_);
  distinct_.erase(std::ranges::unique(distinct_).begin(), distinct_.end());
}

double SequenceStep::compute() {
  pool_.run(parts_.size(), [&](std::size_t i, std::size_t) { compute(parts_[i]); });
  gradients_.clear();
  token_gradients_.clear();
  double loss = 0.0;
  for (Part& part : parts_) {
    if (part.sequences.size() == 0) continue;
    const std::span<float> sum = gradients_.values();
    axpy(sum.size(), 1.0F, part.gradients.values().data(), sum.data());
    token_gradients_.add(part.run.tokens(), part.run.token_gradients());
    loss += part.loss;
  }
  token_gradients_.merge();
  return loss;
}

void SequenceStep::compute(Part& part) const {
  const std::size_t size = part.sequences.size();
  if (size == 0) return;
  part.gradients.clear();
  part.scores.resize(size);
  part.d_scores.resize(size);
  part.run.forward(network_, tokens_, part.sequences, part.scores, dropout_, dropout_ > 0.0F ? &part.random : nullptr);
  part.loss = cross_entropy(part.scores, part.labels, label_noise_, part.d_scores);
  part.run.backward(network_, part.gradients, part.d_scores);
}

ShardedSequenceStep::ShardedSequenceStep(SequenceNetwork& network, EmbeddingTable& tokens, Optimizer& optimizer,
                                         Shards& shards, float dropout, double label_noise)
    : tokens_(tokens), optimizer_(optimizer), shards_(shards), gradients_(network.parameters()) {
  for (std::size_t shard = shards.own().begin; shard < shards.own().end; ++shard) {
    steps_.push_back(
        std::make_unique<SequenceStep>(network, tokens, optimizer, shards.alone(shard), dropout, label_noise));
  }
}

double ShardedSequenceStep::run(std::span<const NormalForm> forms, std::span<const std::uint32_t> rows,
                                std::span<const float> labels, Random& random) {
  const std::uint64_t seed = random.next();
  const auto step_of = [&](std::size_t shard) -> SequenceStep& { return *steps_[shard - shards_.own().begin]; };
  shards_.run(shards_.own(), [&](std::size_t shard) {
    Random own(seed, shard);
    step_of(shard).read(forms, shards_.part(rows, shard), labels, own);
  });
  touched_.assign(tokens_.rows() / 64 + 1, 0);
  for (const auto& step : steps_) mark_rows(step->tokens(), touched_);
  list_rows(touched_, rows_);
  optimizer_.catch_up(shards_.pool(), 0, rows_);
  shards_.run(shards_.own(), [&](std::size_t shard) {
    ShardGradients& left = shards_.gradients(shard);
    left.present = shards_.part(rows, shard).size() > 0;
    if (!left.present) return;
    SequenceStep& step = step_of(shard);
    left.sums = {step.compute()};
    left.set_parameters(step.parameter_gradients().values());
    left.set_table(0, step.token_gradients(), tokens_.width());
  });
  const TableShape shape = {tokens_.rows(), tokens_.width()};
  const ShardGradients& sum = shards_.add_up(gradients_.values().size(), {&shape, 1});
  std::ranges::copy(sum.parameters.span(), gradients_.values().begin());
  const SparseGradient of_tokens = sum.table(0);
  optimizer_.step(shards_.pool(), gradients_, {&of_tokens, 1});
  return sum.sums[0];
}

}  // namespace linn
