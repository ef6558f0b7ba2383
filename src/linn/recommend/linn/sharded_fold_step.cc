#include "linn/recommend/linn/sharded_fold_step.h"

#include <algorithm>

#include "linn/train/sharded_logic_step.h"

namespace linn {

ShardedFoldStep::ShardedFoldStep(LogicNetwork& network, EmbeddingTable& variables, std::size_t items,
                                 Optimizer& optimizer, Shards& shards, const LogicStepOptions& options,
                                 float event_dropout)
    : network_(network),
      variables_(variables),
      items_(items),
      optimizer_(optimizer),
      shards_(shards),
      parts_(shards.own().size()),
      parameters_(network.parameters()) {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    parts_[i].step = std::make_unique<FoldStep>(network, variables, items, optimizer,
                                                shards.alone(shards.own().begin + i), options, event_dropout);
  }
}

void ShardedFoldStep::scale_laws(float factor) {
  for (Part& part : parts_) part.step->scale_laws(factor);
}

StepReport ShardedFoldStep::run(const HistoryBatch& batch, Random& random) {
  if (!compute(batch, random)) return {};
  update();
  return report_;
}

// Brings the rows that this process reads up to date; update() does so for those of others.
void ShardedFoldStep::catch_up(const HistoryBatch& batch) {
  touched_.assign(variables_.rows() / 64 + 1, 0);
  const auto mark = [&](std::uint32_t row) { mark_rows({&row, 1}, touched_); };
  if (batch.negatives.empty()) {
    for (std::uint32_t item = 0; item < items_; ++item) mark(item);
  }
  mark_rows(batch.negatives, touched_);
  for (const Part& part : parts_) {
    for (const Stretch& stretch : part.batch.stretches) {
      for (const Event& event : stretch.events) mark(event.item);
      if (items_ + stretch.user < variables_.rows()) mark(static_cast<std::uint32_t>(items_ + stretch.user));
    }
  }
  list_rows(touched_, rows_);
  optimizer_.catch_up(shards_.pool(), 0, rows_);
}

bool ShardedFoldStep::compute(const HistoryBatch& batch, Random& random) {
  std::size_t targets = 0;
  std::size_t with_targets = 0;
  for (std::size_t shard = 0; shard < shards_.count(); ++shard) {
    std::size_t own = 0;
    for (const Stretch& stretch : shards_.part(std::span(batch.stretches), shard)) own += stretch.targets();
    targets += own;
    with_targets += own > 0 ? 1 : 0;
  }
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    HistoryBatch& part = parts_[i].batch;
    const auto stretches = shards_.part(std::span(batch.stretches), shards_.own().begin + i);
    part.stretches.assign(stretches.begin(), stretches.end());
    part.negatives = batch.negatives;
    part.negative_log_counts = batch.negative_log_counts;
    part.label_noise = batch.label_noise;
  }
  catch_up(batch);

  const std::uint64_t seed = random.next();
  const std::size_t width = variables_.width();
  shards_.run(shards_.own(), [&](std::size_t shard) {
    Part& part = parts_[shard - shards_.own().begin];
    Random own(seed, shard);
    const StepReport report = part.step->compute_part(part.batch, targets, with_targets, own);
    ShardGradients& left = shards_.gradients(shard);
    left.present = part.step->has_targets();
    if (!left.present) return;
    left.sums = to_sums(report);
    if (modules_learn()) left.set_parameters(part.step->parameter_gradients().values());
    left.set_table(0, part.step->variable_gradients(), width);
  });
  const TableShape shape = {variables_.rows(), width};
  sum_ = &shards_.add_up(modules_learn() ? parameters_.values().size() : 0, {&shape, 1});
  report_ = {};
  if (!sum_->present) return false;
  report_ = from_sums(sum_->sums);
  std::ranges::copy(sum_->parameters.span(), parameters_.values().begin());
  return true;
}

void ShardedFoldStep::update() {
  const SparseGradient variables = variable_gradients();
  optimizer_.step(shards_.pool(), parameters_, {&variables, 1});
  if (modules_learn()) network_.prepare();
}

}  // namespace linn
