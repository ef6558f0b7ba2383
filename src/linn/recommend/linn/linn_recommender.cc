#include "linn/recommend/linn/linn_recommender.h"

#include "linn/recommend/protocol/ranking_loss.h"

namespace linn {
namespace {

ExpressionShape shape_of(const LinnRecommenderOptions& options) {
  const ExpressionShape shape = {options.form, options.clause_order};
  check(shape);
  return shape;
}

}  // namespace

LinnRecommender::LinnRecommender(const LinnRecommenderOptions& options, const Histories& histories, Context& context)
    : LinnModel(options, histories, context), expressions_{{shape_of(options), histories.items()}} {}

LinnRecommender::LinnRecommender(const LinnRecommenderOptions& options, const SafetensorsFile& in,
                                 const Catalogue& catalogue, const std::string& prefix)
    : LinnModel(options, in, catalogue, prefix), expressions_{{shape_of(options), catalogue.items.size()}} {}

// A step holds nothing but working memory, so it can be recreated for another pool.
LogicStep& LinnRecommender::step_on(ThreadPool& threads) {
  if (!step_ || step_pool_ != &threads) {
    step_ = std::make_unique<LogicStep>(mutable_network(), mutable_variables(), optimizer(), threads,
                                        logic_step_options(options(), options().dropout), device());
    step_pool_ = &threads;
    step_->scale_laws(current_law_scale());
  }
  return *step_;
}

void LinnRecommender::use_shards(Shards& shards) {
  shards_ = &shards;
  sharded_step_.emplace(mutable_network(), mutable_variables(), optimizer(), shards,
                        logic_step_options(options(), options().dropout));
  sharded_step_->scale_laws(current_law_scale());
  shard_expressions_.assign(shards.count(), expressions_);
}

void LinnRecommender::add_expressions(const RankingBatch& batch, RowRange groups, Random& random,
                                      Expressions& expressions, ExpressionBatch& out) const {
  for (std::size_t i = groups.begin; i < groups.end; ++i) {
    expressions.window.clear();
    window().cut(batch.queries[i].history, expressions.window);
    // A group with an empty window and no user vector adds no expression, and so takes no part in the step.
    expressions.make.add(expressions.window, has_vector(batch.queries[i].user) ? batch.queries[i].user : std::nullopt,
                         std::span(batch.items).subspan(i * batch.group, batch.group), &random, out);
  }
}

double LinnRecommender::train_shards(const RankingBatch& batch, Random& random) {
  const RankingLossOptions options_of_loss = {options().loss, options().bpr_on, batch.label_noise};
  const auto fill = [&](std::size_t shard, Random& own, ExpressionBatch& out) {
    add_expressions(batch, shards_->part(batch.queries.size(), shard), own, shard_expressions_[shard], out);
  };
  const auto loss = [&](std::size_t, std::span<const float> scores, std::span<float> d_scores) {
    return ranking_loss(options_of_loss, scores, batch.group, d_scores);
  };
  const StepReport report = sharded_step_->run(fill, loss, random);
  add_to_epoch(report.regularizers);
  return report.task_loss;
}

double LinnRecommender::train_step(const RankingBatch& batch, Random& random, ThreadPool& threads) {
  projected_items_ = {};
  if (shards_ != nullptr) return train_shards(batch, random);
  LogicStep& step = step_on(threads);
  batch_.clear();
  add_expressions(batch, {0, batch.queries.size()}, random, expressions_, batch_);
  if (batch_.size() == 0) return 0.0;
  if (step.on_device()) {
    using Kind = ScoreLoss::Kind;
    const Kind bpr = options().bpr_on == BprOn::kScore ? Kind::kBprScore : Kind::kBprSimilarity;
    step.queue(batch_,
               {.kind = options().loss == RankingLoss::kSoftmax ? Kind::kSoftmax : bpr,
                .group = batch.group,
                .label_noise = batch.label_noise},
               random);
    return 0.0;
  }
  const RankingLossOptions loss = {options().loss, options().bpr_on, batch.label_noise};
  // Two captured references fit into std::function without an allocation.
  const StepReport report = step.run(
      batch_,
      [&loss, &batch](std::span<const float> scores, std::span<float> d_scores) {
        return ranking_loss(loss, scores, batch.group, d_scores);
      },
      random);
  add_to_epoch(report.regularizers);
  return report.task_loss;
}

void LinnRecommender::values_changed() {
  projected_items_ = {};
  if (step_) step_->scale_laws(current_law_scale());
  if (sharded_step_) sharded_step_->scale_laws(current_law_scale());
}

}  // namespace linn
