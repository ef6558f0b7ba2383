#include "linn/recommend/linn/linn_recommender.h"

#include <algorithm>
#include <utility>

#include "linn/base/error.h"
#include "linn/recommend/protocol/ranking_loss.h"
#include "linn/train/pretrain.h"

namespace linn {
namespace {

ExpressionShape shape_of(const LinnRecommenderOptions& options) {
  const ExpressionShape shape = {options.form, options.clause_order};
  check(shape);
  return shape;
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

LinnRecommender::~LinnRecommender() = default;

void LinnRecommender::start(Context& context) {
  if (options_.pretrain.steps > 0) pretrain_modules(network_, context, options_.pretrain, kPretrainingStream);
}

// The step only holds working memory, so it can be made anew for another pool.
LogicStep& LinnRecommender::step_on(ThreadPool& threads) {
  if (!step_ || step_pool_ != &threads) {
    step_ = std::make_unique<LogicStep>(network_, variables_, *optimizer_, threads, logic_step_options(options_, options_.dropout));
    step_pool_ = &threads;
    step_->scale_laws(law_scale(options_, epochs_[0], options_.epochs));
  }
  return *step_;
}

double LinnRecommender::train_step(const RankingBatch& batch, Random& random, ThreadPool& threads) {
  if (!optimizer_) throw Failure("a model that was loaded for asking cannot be trained");
  projected_items_ = {};
  batch_.clear();
  for (std::size_t i = 0; i < batch.queries.size(); ++i) {
    window_events_.clear();
    window().cut(batch.queries[i].history, window_events_);
    // A group without anything to argue from, such as a history of dislikes where those are left out, has no part.
    expressions_.add(window_events_, knows(batch.queries[i].user) ? batch.queries[i].user : std::nullopt,
                     std::span(batch.items).subspan(i * batch.group, batch.group), &random, batch_);
  }
  if (batch_.size() == 0) return 0.0;
  const RankingLossOptions loss = {options_.loss, options_.bpr_on, batch.label_noise};
  // Two references fit into the function object without an allocation.
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

}  // namespace linn
