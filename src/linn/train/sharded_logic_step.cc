#include "linn/train/sharded_logic_step.h"

#include <algorithm>

namespace linn {

std::vector<double> to_sums(const StepReport& report) {
  std::vector<double> sums(report.regularizers.laws.begin(), report.regularizers.laws.end());
  sums.push_back(report.regularizers.length);
  sums.push_back(report.task_loss);
  return sums;
}

StepReport from_sums(std::span<const double> sums) {
  StepReport report;
  std::ranges::copy(sums.first(kLaws), report.regularizers.laws.begin());
  report.regularizers.length = sums[kLaws];
  report.task_loss = sums[kLaws + 1];
  return report;
}

ShardedLogicStep::ShardedLogicStep(LogicNetwork& network, EmbeddingTable& variables, Optimizer& optimizer,
                                   Shards& shards, const LogicStepOptions& options)
    : network_(network),
      variables_(variables),
      optimizer_(optimizer),
      shards_(shards),
      options_(options),
      regularizers_(options.regularizers),
      parameters_(network.parameters()) {
  for (std::size_t i = 0; i < shards.count(); ++i) {
    parts_.push_back(std::make_unique<Part>(options.plan));
    if (!shards.owns(i)) continue;
    parts_[i]->gradient = std::make_unique<LogicGradient>(network, variables, shards.alone(i), options_);
  }
}

void ShardedLogicStep::scale_laws(float factor) {
  for (auto& part : parts_) {
    if (part->gradient == nullptr) continue;
    part->gradient->scale_laws(factor);
    regularizers_ = part->gradient->regularizers();
  }
}

bool ShardedLogicStep::weighs_vectors() const {
  return !regularizers_.count_occurrences && (regularizers_.any_law() || regularizers_.length != 0.0F);
}

StepReport ShardedLogicStep::run(const Fill& fill, const Loss& loss, Random& random) {
  if (!compute(fill, loss, random)) return {};
  update();
  return report_;
}

void ShardedLogicStep::plan(const Fill& fill, Random& random) {
  const std::uint64_t seed = random.next();
  for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i]->random = Random(seed, i);
  // The law of T alone needs to know how many shards take part.
  const bool all = weighs_vectors() || regularizers_.any_law();
  shards_.run(all ? shards_.all() : shards_.own(), [&](std::size_t i) {
    Part& part = *parts_[i];
    part.batch.clear();
    fill(i, part.random, part.batch);
    part.builder.build(part.batch, options_.random_order ? &part.random : nullptr, part.plan);
  });
  if (!all) return;
  std::vector<Plan*> plans;
  for (const auto& part : parts_) {
    if (part->batch.size() > 0) plans.push_back(&part->plan);
  }
  for (Plan* plan : plans) plan->parts = static_cast<std::uint32_t>(plans.size());
  if (weighs_vectors()) shared_.count(plans);
}

// Brings the rows that this process reads up to date; update() does so for those of others.
void ShardedLogicStep::catch_up() {
  touched_.assign(variables_.rows() / 64 + 1, 0);
  for (std::size_t i = shards_.own().begin; i < shards_.own().end; ++i) {
    if (parts_[i]->batch.size() > 0) mark_rows(parts_[i]->plan.variables, touched_);
  }
  list_rows(touched_, rows_);
  optimizer_.catch_up(shards_.pool(), 0, rows_);
}

void ShardedLogicStep::compute(std::size_t shard, const Loss& loss) {
  Part& part = *parts_[shard];
  ShardGradients& left = shards_.gradients(shard);
  left.present = part.batch.size() > 0;
  if (!left.present) return;
  const auto own_loss = [&](std::span<const float> scores, std::span<float> d_scores) {
    return loss(shard, scores, d_scores);
  };
  left.sums = to_sums(
      part.gradient->compute(part.plan, own_loss, part.random, modules_learn() ? Modules::kLearn : Modules::kFixed));
  if (modules_learn()) left.set_parameters(part.gradient->parameters().values());
  left.set_table(0, part.gradient->variables(), variables_.width());
}

bool ShardedLogicStep::compute(const Fill& fill, const Loss& loss, Random& random) {
  plan(fill, random);
  catch_up();
  shards_.run(shards_.own(), [&](std::size_t i) { compute(i, loss); });
  const TableShape shape = {variables_.rows(), variables_.width()};
  sum_ = &shards_.add_up(modules_learn() ? parameters_.values().size() : 0, {&shape, 1});
  report_ = {};
  if (!sum_->present) return false;
  report_ = from_sums(sum_->sums);
  std::ranges::copy(sum_->parameters.span(), parameters_.values().begin());
  return true;
}

void ShardedLogicStep::update() {
  const SparseGradient variables = variable_gradients();
  optimizer_.step(shards_.pool(), parameters_, {&variables, 1});
  if (modules_learn()) network_.prepare();
}

}  // namespace linn
