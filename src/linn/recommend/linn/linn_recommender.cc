#include "linn/recommend/linn/linn_recommender.h"

#include <algorithm>
#include <utility>

#include "linn/base/error.h"
#include "linn/model/checkpoint.h"
#include "linn/recommend/protocol/ranking_loss.h"
#include "linn/train/pretrain.h"

namespace linn {
namespace {

ExpressionShape shape_of(const LinnRecommenderOptions& options) {
  const ExpressionShape shape = {options.form, options.clause_order};
  check(shape);
  return shape;
}

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

LinnRecommender::LinnRecommender(const LinnRecommenderOptions& options, std::size_t users, ItemCounts counts)
    : options_(options),
      users_(options.user_vectors ? users : 0),
      counts_(std::move(counts)),
      network_(options.network),
      variables_("variables", counts_.likes.size() + users_, options.network.width),
      expressions_(shape_of(options), counts_.likes.size()) {}

LinnRecommender::LinnRecommender(const LinnRecommenderOptions& options, const Histories& histories, Context& context)
    : LinnRecommender(options, histories.users(), count_items(histories)) {
  optimizer_ =
      std::make_unique<Optimizer>(options_.optimizer, network_.parameters(), std::vector<EmbeddingTable*>{&variables_});
  if (options_.average > 0.0) {
    average_.emplace(options_.average, network_.parameters(), std::vector<EmbeddingTable*>{&variables_});
  }
  Random initial = context.random(kInitialValueStream);
  network_.initialize(initial, options_.init);
  variables_.initialize_normal(initial, options_.init);
}

LinnRecommender::LinnRecommender(const LinnRecommenderOptions& options, const SafetensorsFile& in,
                                 const Catalogue& catalogue, const std::string& prefix)
    : LinnRecommender(options, catalogue.users.size(), read_counts(in, prefix, catalogue.items.size())) {
  read_vectors(in, prefix);
}

LinnRecommender::~LinnRecommender() = default;

void LinnRecommender::start(Context& context) {
  if (options_.pretrain.steps > 0) pretrain_modules(network_, context, options_.pretrain, kPretrainingStream);
}

// A step holds nothing but working memory, so it can be recreated for another pool.
LogicStep& LinnRecommender::step_on(ThreadPool& threads) {
  if (!step_ || step_pool_ != &threads) {
    step_ = std::make_unique<LogicStep>(network_, variables_, *optimizer_, threads,
                                        logic_step_options(options_, options_.dropout));
    step_pool_ = &threads;
    step_->scale_laws(law_scale(options_, epochs_[0], options_.epochs));
  }
  return *step_;
}

double LinnRecommender::train_step(const RankingBatch& batch, Random& random, ThreadPool& threads) {
  if (!optimizer_) throw Failure("a model that was loaded for prediction cannot be trained");
  projected_items_ = {};
  batch_.clear();
  for (std::size_t i = 0; i < batch.queries.size(); ++i) {
    window_events_.clear();
    window().cut(batch.queries[i].history, window_events_);
    // A group with an empty window and no user vector adds no expression, and so takes no part in the step.
    expressions_.add(window_events_, has_vector(batch.queries[i].user) ? batch.queries[i].user : std::nullopt,
                     std::span(batch.items).subspan(i * batch.group, batch.group), &random, batch_);
  }
  if (batch_.size() == 0) return 0.0;
  const RankingLossOptions loss = {options_.loss, options_.bpr_on, batch.label_noise};
  // Two captured references fit into std::function without an allocation.
  const StepReport report = step_on(threads).run(
      batch_,
      [&loss, &batch](std::span<const float> scores, std::span<float> d_scores) {
        return ranking_loss(loss, scores, batch.group, d_scores);
      },
      random);
  for (std::size_t i = 0; i < kLaws; ++i) sums_.laws[i] += report.regularizers.laws[i];
  sums_.length += report.regularizers.length;
  return report.task_loss;
}

void LinnRecommender::end_epoch(ThreadPool& threads) {
  optimizer_->flush(threads);
  if (average_) average_->add_snapshot(threads);
  ++epochs_[0];
  last_sums_ = std::exchange(sums_, {});
  if (step_) step_->scale_laws(law_scale(options_, epochs_[0], options_.epochs));
}

void LinnRecommender::swap_average(ThreadPool& threads) {
  if (!average_) return;
  average_->swap(threads);
  network_.prepare();
  projected_items_ = {};
}

Metrics LinnRecommender::epoch_metrics() const {
  Metrics metrics;
  if (options_.law_weight > 0.0F) metrics.push_back({"laws", {last_sums_.laws.begin(), last_sums_.laws.end()}});
  metrics.push_back({"length", {last_sums_.length}});
  return metrics;
}

// Files. A model has one tensor per matrix of the modules, T as `true`, the vectors as `items` and, if users have any,
// `users`, and the counts of the training data. A state has the same without the counts, and the optimizer.

void LinnRecommender::add_vectors(SafetensorsWriter& out, const std::string& prefix) const {
  add_parameters(out, network_.parameters(), prefix);
  const std::size_t d = network_.width();
  out.add(prefix + "true", {d}, network_.true_vector());
  out.add(prefix + "items", {items(), d}, variables_.values().first(items() * d));
  if (users_ > 0) out.add(prefix + "users", {users_, d}, variables_.values().subspan(items() * d));
}

void LinnRecommender::read_vectors(const SafetensorsFile& in, const std::string& prefix) {
  read_parameters(in, network_.parameters(), prefix);
  const std::size_t d = network_.width();
  in.copy(prefix + "true", {d}, network_.true_vector());
  in.copy(prefix + "items", {items(), d}, variables_.values().first(items() * d));
  if (users_ > 0) in.copy(prefix + "users", {users_, d}, variables_.values().subspan(items() * d));
  network_.prepare();
  projected_items_ = {};
}

void LinnRecommender::add_values(SafetensorsWriter& out, const std::string& prefix) const {
  add_vectors(out, prefix);
  out.add(prefix + "likes_of_item", {items()}, std::span(counts_.likes));
  out.add(prefix + "users_of_item", {items()}, std::span(counts_.users));
  out.add(prefix + "all_users", {1}, std::span(&counts_.all_users, 1));
}

void LinnRecommender::add_state(SafetensorsWriter& out, const std::string& prefix) {
  add_vectors(out, prefix);
  add_optimizer(out, *optimizer_, prefix);
  if (average_) add_average(out, *average_, prefix);
  out.add(prefix + "epochs", {1}, std::span(epochs_));
}

void LinnRecommender::read_state(const SafetensorsFile& in, const std::string& prefix) {
  read_vectors(in, prefix);
  read_optimizer(in, *optimizer_, prefix);
  if (average_) read_average(in, *average_, prefix);
  in.copy(prefix + "epochs", {1}, std::span<std::uint64_t>(epochs_));
  sums_ = {};
  if (step_) step_->scale_laws(law_scale(options_, epochs_[0], options_.epochs));
}

}  // namespace linn
