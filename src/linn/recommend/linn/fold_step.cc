#include "linn/recommend/linn/fold_step.h"

#include <algorithm>

#include "linn/kernels/elementwise.h"
#include "linn/kernels/rows.h"
#include "linn/nn/law_pass.h"

namespace linn {

FoldStep::FoldStep(LogicNetwork& network, EmbeddingTable& variables, std::size_t items, Optimizer& optimizer,
                   ThreadPool& pool, const LogicStepOptions& options, float event_dropout, TrainingDevice* device)
    : network_(network),
      variables_(variables),
      items_(items),
      optimizer_(optimizer),
      pool_(pool),
      options_(options),
      event_dropout_(event_dropout),
      builder_(options.plan),
      run_(network, pool),
      truth_(network),
      softmax_(network.width()),
      dropout_(options.dropout),
      place_(variables.rows(), 0),
      device_(device != nullptr ? device->train(network, &variables, optimizer) : nullptr) {}

StepReport FoldStep::run(const HistoryBatch& batch, Random& random) {
  const StepReport report = compute(batch, random);
  if (!targets_.empty()) update();
  return report;
}

void FoldStep::plan_batch(const HistoryBatch& batch, Random& random) {
  read(batch, random);
  builder_.build(expressions_, nullptr, plan_);
}

// The chains of the batch, and the item of each target, in the order of the plan's roots.
void FoldStep::read(const HistoryBatch& batch, Random& random) {
  expressions_.clear();
  targets_.clear();
  for (const Stretch& stretch : batch.stretches) {
    literals_.clear();
    prefixes_.clear();
    // The vector of a user is an event before all others.
    const bool has_vector = items_ + stretch.user < variables_.rows();
    if (has_vector) literals_.push_back(Literal::of(static_cast<VariableId>(items_ + stretch.user), false));
    for (std::size_t k = 0; k < stretch.events.size(); ++k) {
      const Event& event = stretch.events[k];
      if (stretch.is_target(k)) {
        prefixes_.push_back(static_cast<std::uint32_t>(literals_.size()));
        targets_.push_back(event.item);
      }
      if (event_dropout_ > 0.0F && random.chance(event_dropout_)) continue;
      literals_.push_back(literal_of(event));
    }
    if (!prefixes_.empty()) expressions_.add_chain(literals_, prefixes_);
  }
}

// The items to choose among, all of them or those of targets, negatives and events, and then the users' rows:
// ascending.
void FoldStep::find_rows(const HistoryBatch& batch) {
  for (const std::uint32_t row : rows_) place_[row] = 0;
  rows_.clear();
  const auto add = [&](std::uint32_t row) {
    if (place_[row] != 0) return;
    place_[row] = 1;
    rows_.push_back(row);
  };
  if (batch.negatives.empty()) {
    for (std::uint32_t item = 0; item < items_; ++item) add(item);
  } else {
    for (const std::uint32_t item : targets_) add(item);
    for (const std::uint32_t item : batch.negatives) add(item);
  }
  for (const VariableId variable : plan_.variables) add(variable);
  std::ranges::sort(rows_);
  chosen_ = static_cast<std::size_t>(std::ranges::lower_bound(rows_, items_) - rows_.begin());
  for (std::uint32_t i = 0; i < rows_.size(); ++i) place_[rows_[i]] = i + 1;
}

StepReport FoldStep::compute(const HistoryBatch& batch, Random& random) {
  plan_batch(batch, random);
  if (targets_.empty()) return {};
  find_rows(batch);
  optimizer_.catch_up(pool_, 0, rows_);
  return compute_gradients(batch, targets_.size(), random);
}

StepReport FoldStep::compute_part(const HistoryBatch& part, std::size_t targets, std::size_t parts, Random& random) {
  plan_batch(part, random);
  if (targets_.empty()) return {};
  plan_.parts = static_cast<std::uint32_t>(parts);
  find_rows(part);
  return compute_gradients(part, targets, random);
}

// `targets`: the number over whose loss the mean is taken.
StepReport FoldStep::compute_gradients(const HistoryBatch& batch, std::size_t targets, Random& random) {
  StepReport report;
  const float share = 1.0F / static_cast<float>(targets);
  set_regularizers(share);
  const RowSource roots = run_.forward_vectors(
      plan_, variables_.row(0), {.regularizers = &regularizers_, .dropout = {options_.dropout, &random}});
  report.task_loss = choose(batch, roots, share, random);
  run_.backward_vectors(d_states_.data(), &random, modules_learn() ? Modules::kLearn : Modules::kFixed);
  report.regularizers = run_.regularizer_values();
  if (modules_learn()) truth_.add_gradients(run_.parameter_gradients());
  collect_gradient();
  return report;
}

// Weights of the laws and lengths for the mean over the targets.
void FoldStep::set_regularizers(float share) {
  regularizers_ = options_.regularizers;
  for (float& weight : regularizers_.laws) weight *= law_scale_ * share;
  regularizers_.length *= share;
}

void FoldStep::find_places(std::span<const std::uint32_t> items, std::vector<std::uint32_t>& places) const {
  places.resize(items.size());
  std::ranges::transform(items, places.begin(), [&](std::uint32_t item) { return place_[item] - 1; });
}

void FoldStep::queue(const HistoryBatch& batch, Random& random) {
  plan_batch(batch, random);
  if (targets_.empty()) return;
  find_rows(batch);
  set_regularizers(1.0F / static_cast<float>(targets_.size()));
  const std::uint64_t seed = options_.dropout > 0.0F ? random.next() : 0;
  negated_law_rows_.clear();
  other_law_rows_.clear();
  if (regularizers_.any_law())
    choose_law_rows(plan_, regularizers_, kLaneCount, &random, negated_law_rows_, other_law_rows_);
  find_places(targets_, target_places_);
  find_places(batch.negatives, negative_places_);
  device_->step({plan_, regularizers_, negated_law_rows_, other_law_rows_, options_.dropout, seed},
                CatalogueChoice{rows_, chosen_, target_places_, negative_places_, batch.negative_log_counts, items_,
                                batch.label_noise});
}

StepReport FoldStep::finish() {
  const DeviceSums sums = device_->finish();
  return {sums.task_loss, sums.regularizers};
}

// From the states to the loss and back: leaves the gradients of the states in d_states_, those of the items in d_rows_.
double FoldStep::choose(const HistoryBatch& batch, const RowSource& roots, float share, Random& random) {
  const std::size_t d = network_.width();
  const std::size_t targets = targets_.size();
  for (AlignedArray<float>* rows : {&states_, &d_states_}) rows->reshape(targets * d);
  truth_.reshape(targets, d_queries_);
  for_each_block(pool_, targets, [&](std::size_t, std::size_t, std::size_t begin, std::size_t end) {
    copy_rows(end - begin, d, {roots.data, d, roots.index + begin}, {states_.data() + begin * d, d});
  });
  // States lose elements, each target others, as they enter AND.
  const MatrixView states = {states_.data(), targets, d, d};
  dropout_.forward(states, &random, states, state_dropout_);
  truth_.queries(targets, states_.data(), queries_, pool_);

  item_vectors_.reshape(chosen_ * d);
  truth_.reshape(chosen_, d_keys_);
  d_rows_.reshape(rows_.size() * d);
  copy_rows(chosen_, d, {variables_.row(0), d, rows_.data()}, {item_vectors_.data(), d});
  truth_.keys(chosen_, item_vectors_.data(), keys_, pool_);

  find_places(targets_, target_places_);
  const ChoiceItems items = {chosen_, keys_.product.data()};
  const ChoiceTargets chosen = {targets, queries_.product.data(), target_places_.data()};
  const ChoiceGradients gradients = {d_queries_.product.data(), d_keys_.product.data()};
  const ChoicePairs pairs = {.hidden = truth_.hidden(),
                             .targets = queries_.hidden.data(),
                             .items = keys_.hidden.data(),
                             .weights = queries_.weights.data(),
                             .d_targets = d_queries_.hidden.data(),
                             .d_items = d_keys_.hidden.data(),
                             .d_weights = d_queries_.weights.data()};
  double loss = 0.0;
  if (batch.negatives.empty()) {
    loss = softmax_.run(items, chosen, batch.label_noise, share, gradients, pool_, pairs);
  } else {
    find_places(batch.negatives, negative_places_);
    const ChoiceDraws draws = {negative_places_.size(), negative_places_.data(), batch.negative_log_counts.data(),
                               items_};
    loss = softmax_.run_sampled(items, draws, chosen, batch.label_noise, share, gradients, pool_, pairs);
  }
  truth_.queries_backward(targets, states_.data(), d_queries_, d_states_.data(), pool_);
  truth_.keys_backward(chosen_, item_vectors_.data(), d_keys_, d_rows_.data(), pool_);
  const MatrixView d_states = {d_states_.data(), targets, d, d};
  dropout_.backward(d_states, d_states, state_dropout_);
  return loss;
}

// Adds the gradients of the events to those of the items.
void FoldStep::collect_gradient() {
  const std::size_t d = network_.width();
  std::fill(d_rows_.data() + chosen_ * d, d_rows_.data() + rows_.size() * d, 0.0F);
  event_places_.resize(plan_.variables.size());
  std::ranges::transform(plan_.variables, event_places_.begin(), [&](VariableId row) { return place_[row] - 1; });
  accumulate_rows(event_places_.size(), d, {run_.variable_gradients().data(), d},
                  {d_rows_.data(), d, event_places_.data()});
  gradient_ = {rows_, d_rows_.data()};
}

void FoldStep::update() {
  optimizer_.step(pool_, run_.parameter_gradients(), {&gradient_, 1});
  if (modules_learn()) network_.prepare();
}

}  // namespace linn
