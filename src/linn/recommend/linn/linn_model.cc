#include "linn/recommend/linn/linn_model.h"

#include <algorithm>
#include <utility>

#include "linn/base/error.h"
#include "linn/model/checkpoint.h"
#include "linn/plan/plan_builder.h"
#include "linn/recommend/linn/root_vectors.h"
#include "linn/train/pretrain.h"

namespace linn {
namespace {

ItemCounts read_counts(const SafetensorsFile& in, const std::string& prefix, std::size_t items) {
  ItemCounts counts;
  counts.likes.resize(items);
  counts.users.resize(items);
  in.copy(prefix + "likes_of_item", {items}, std::span(counts.likes));
  in.copy(prefix + "users_of_item", {items}, std::span(counts.users));
  in.copy(prefix + "all_users", {1}, std::span(&counts.all_users, 1));
  return counts;
}

}  // namespace

LinnModel::LinnModel(const LinnRecommenderOptions& options, std::size_t users, ItemCounts counts)
    : options_(options),
      users_(options.user_vectors ? users : 0),
      counts_(std::move(counts)),
      network_(options.network),
      variables_("variables", counts_.likes.size() + users_, options.network.width) {}

LinnModel::LinnModel(const LinnRecommenderOptions& options, const Histories& histories, Context& context)
    : LinnModel(options, histories.users(), count_items(histories)) {
  device_ = context.device();
  use_device(device_);
  optimizer_ =
      std::make_unique<Optimizer>(options_.optimizer, network_.parameters(), std::vector<EmbeddingTable*>{&variables_});
  if (options_.average > 0.0) {
    average_.emplace(options_.average, network_.parameters(), std::vector<EmbeddingTable*>{&variables_});
  }
  Random initial = context.random(kInitialValueStream);
  switch (options_.module_init) {
    case ModuleInit::kNormal:
      network_.initialize(initial, options_.init);
      break;
    case ModuleInit::kGlorot:
      network_.initialize_glorot(initial);
      break;
    case ModuleInit::kLinear:
      network_.initialize_linear(initial);
      break;
  }
  variables_.initialize_normal(initial, options_.init);
  if (options_.features) cold_items_.emplace(histories.categories(), counts_);
}

LinnModel::LinnModel(const LinnRecommenderOptions& options, const SafetensorsFile& in, const Catalogue& catalogue,
                     const std::string& prefix)
    : LinnModel(options, catalogue.users.size(), read_counts(in, prefix, catalogue.items.size())) {
  read_vectors(in, prefix);
}

void LinnModel::start(Context& context, const PretrainingPlace& place) {
  if (options_.pretrain.steps > 0) pretrain_modules(network_, context, options_.pretrain, kPretrainingStream, place);
  if (evaluation_) evaluation_->reload();
}

Optimizer& LinnModel::optimizer() const {
  if (!optimizer_) throw Failure("a model that was loaded for prediction cannot be trained");
  return *optimizer_;
}

void LinnModel::add_to_epoch(const RegularizerValues& values) {
  for (std::size_t i = 0; i < kLaws; ++i) sums_.laws[i] += values.laws[i];
  sums_.length += values.length;
}

void LinnModel::use_device(TrainingDevice* device) {
  evaluation_ = device != nullptr ? device->evaluate(network_) : nullptr;
}

void LinnModel::values_have_changed() {
  if (evaluation_) evaluation_->reload();
  values_changed();
}

AlignedArray<float> LinnModel::vectors_of(const ExpressionBatch& batch, ThreadPool& threads) const {
  if (!evaluation_) return root_vectors(network_, variables_, batch, threads);
  Plan plan;
  PlanBuilder().build(batch, nullptr, plan);
  AlignedArray<float> vectors(plan.roots.size() * network_.width());
  evaluation_->root_vectors(plan, variables_.row(0), vectors.span());
  return vectors;
}

void LinnModel::end_epoch(ThreadPool& threads) {
  if (device_ != nullptr) {
    const StepReport steps = finish_steps();
    late_loss_ = steps.task_loss;
    add_to_epoch(steps.regularizers);
  } else {
    optimizer_->flush(threads);
  }
  if (average_) average_->add_snapshot(threads);
  ++epochs_[0];
  last_sums_ = std::exchange(sums_, {});
  values_have_changed();
}

void LinnModel::swap_average(ThreadPool& threads) {
  if (!average_ && !cold_items_) return;
  const bool back = cold_items_ && cold_items_->are_made();
  if (back) cold_items_->restore(variables_);
  if (average_) {
    average_->swap(threads);
    network_.prepare();
  }
  if (cold_items_ && !back) cold_items_->make(variables_, threads);
  values_have_changed();
}

Metrics LinnModel::epoch_metrics() const {
  Metrics metrics;
  if (options_.law_weight > 0.0F) metrics.push_back({"laws", {last_sums_.laws.begin(), last_sums_.laws.end()}});
  metrics.push_back({"length", {last_sums_.length}});
  return metrics;
}

// Files. A model has one tensor per matrix of the modules, T as `true`, the vectors as `items` and, if users have any,
// `users`, and the counts of the training data. A state has the same without the counts, and the optimizer.

void LinnModel::add_vectors(SafetensorsWriter& out, const std::string& prefix) const {
  add_parameters(out, network_.parameters(), prefix);
  const std::size_t d = network_.width();
  out.add(prefix + "true", {d}, network_.true_vector());
  out.add(prefix + "items", {items(), d}, variables_.values().first(items() * d));
  if (users_ > 0) out.add(prefix + "users", {users_, d}, variables_.values().subspan(items() * d));
}

void LinnModel::read_vectors(const SafetensorsFile& in, const std::string& prefix) {
  read_parameters(in, network_.parameters(), prefix);
  const std::size_t d = network_.width();
  in.copy(prefix + "true", {d}, network_.true_vector());
  in.copy(prefix + "items", {items(), d}, variables_.values().first(items() * d));
  if (users_ > 0) in.copy(prefix + "users", {users_, d}, variables_.values().subspan(items() * d));
  network_.prepare();
}

void LinnModel::add_values(SafetensorsWriter& out, const std::string& prefix) const {
  add_vectors(out, prefix);
  out.add(prefix + "likes_of_item", {items()}, std::span(counts_.likes));
  out.add(prefix + "users_of_item", {items()}, std::span(counts_.users));
  out.add(prefix + "all_users", {1}, std::span(&counts_.all_users, 1));
}

void LinnModel::add_state(SafetensorsWriter& out, const std::string& prefix) {
  add_vectors(out, prefix);
  add_optimizer(out, *optimizer_, prefix);
  if (average_) add_average(out, *average_, prefix);
  out.add(prefix + "epochs", {1}, std::span(epochs_));
}

void LinnModel::read_state(const SafetensorsFile& in, const std::string& prefix) {
  read_vectors(in, prefix);
  read_optimizer(in, *optimizer_, prefix);
  if (average_) read_average(in, *average_, prefix);
  in.copy(prefix + "epochs", {1}, std::span<std::uint64_t>(epochs_));
  sums_ = {};
  values_have_changed();
}

}  // namespace linn
