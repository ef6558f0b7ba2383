// Scoring of LinnRecommender: evaluates the arguments of all queries as one plan, then the targets in blocks.
#include <algorithm>
#include <cassert>

#include "linn/base/logistic.h"
#include "linn/plan/plan_builder.h"
#include "linn/recommend/linn/linn_recommender.h"
#include "linn/recommend/linn/root_vectors.h"
#include "linn/recommend/linn/target_scorer.h"

namespace linn {

// The vectors that targets are combined with: rows [starts[i], starts[i + 1]) belong to query i.
struct LinnRecommender::Arguments {
  AlignedArray<float> vectors;
  std::vector<std::size_t> starts;
};

namespace {

std::vector<TargetScorer::Scratch> make_scratch(const LogicNetwork& network, const ThreadPool& threads) {
  std::vector<TargetScorer::Scratch> scratch;
  scratch.reserve(threads.threads());
  for (std::size_t i = 0; i < threads.threads(); ++i) scratch.emplace_back(network);
  return scratch;
}

}  // namespace

LinnRecommender::Arguments LinnRecommender::find_arguments(std::span<const Query> queries, ThreadPool& threads) const {
  RecommendationExpressions expressions({options().form, options().clause_order}, items());
  ExpressionBatch batch;
  std::vector<Event> events;
  Arguments arguments;
  arguments.starts.push_back(0);
  for (const Query& query : queries) {
    events.clear();
    window().cut(query.history, events);
    arguments.starts.push_back(
        arguments.starts.back() +
        expressions.add_arguments(events, has_vector(query.user) ? query.user : std::nullopt, batch));
  }
  arguments.vectors = vectors_of(batch, threads);
  return arguments;
}

// As whole expressions, in blocks whose plans stay small.
void LinnRecommender::score_on_device(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each,
                                      std::span<float> scores) const {
  constexpr std::size_t kPairs = 4096;
  RecommendationExpressions expressions({options().form, options().clause_order}, this->items());
  std::vector<Event> events;
  ExpressionBatch batch;
  std::vector<std::size_t> places;
  std::vector<float> values;
  Plan plan;
  PlanBuilder builder;
  const auto finish = [&] {
    if (places.empty()) return;
    builder.build(batch, nullptr, plan);
    values.resize(places.size());
    evaluation()->scores(plan, variables().row(0), values);
    for (std::size_t i = 0; i < places.size(); ++i) scores[places[i]] = values[i];
    places.clear();
    batch.clear();
  };
  for (std::size_t q = 0; q < queries.size(); ++q) {
    const Query& query = queries[q];
    events.clear();
    window().cut(query.history, events);
    for (std::size_t begin = 0; begin < each; begin += kPairs) {
      const std::size_t count = std::min(kPairs, each - begin);
      const std::size_t first = q * each + begin;
      const auto targets = items.subspan(first, count);
      if (!expressions.add(events, has_vector(query.user) ? query.user : std::nullopt, targets, nullptr, batch)) {
        for (std::size_t i = first; i < first + count; ++i) scores[i] = like_log_odds(counts(), items[i]);
        continue;
      }
      for (std::size_t i = first; i < first + count; ++i) places.push_back(i);
      if (places.size() >= kPairs) finish();
    }
  }
  finish();
}

void LinnRecommender::score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each,
                            std::span<float> scores, ThreadPool& threads) const {
  assert(items.size() == queries.size() * each && scores.size() == items.size());
  if (each == 0) return;
  if (evaluation() != nullptr) return score_on_device(queries, items, each, scores);
  // In blocks of queries, so that the plan of the histories stays small.
  constexpr std::size_t kQueries = 256;
  auto scratch = make_scratch(network(), threads);
  const std::size_t blocks = (each + TargetScorer::kBlock - 1) / TargetScorer::kBlock;
  for (std::size_t first = 0; first < queries.size(); first += kQueries) {
    const std::size_t count = std::min(kQueries, queries.size() - first);
    const Arguments arguments = find_arguments(queries.subspan(first, count), threads);
    const TargetScorer scorer(network(), arguments.vectors.data(), arguments.starts.back());
    threads.run(count * blocks, [&](std::size_t task, std::size_t thread) {
      const std::size_t query = task / blocks;
      const std::size_t begin = (first + query) * each + task % blocks * TargetScorer::kBlock;
      const std::size_t end = std::min(begin + TargetScorer::kBlock, (first + query + 1) * each);
      if (arguments.starts[query] == arguments.starts[query + 1]) {
        for (std::size_t i = begin; i < end; ++i) scores[i] = like_log_odds(counts(), items[i]);
        return;
      }
      const float* projected = projected_items_.size() > 0 ? projected_items_.data() : nullptr;
      scorer.score(arguments.starts[query], arguments.starts[query + 1],
                   {{variables().row(0), variables().width(), items.data() + begin}, projected, end - begin},
                   scratch[thread], scores.data() + begin);
    });
  }
}

void LinnRecommender::score_all(const Query& query, std::span<float> scores, ThreadPool& threads) const {
  assert(scores.size() == items());
  if (evaluation() != nullptr) return RankingModel::score_all(query, scores, threads);
  const Arguments arguments = find_arguments({&query, 1}, threads);
  if (arguments.starts.back() == 0) {
    for (ItemId item = 0; item < items(); ++item) scores[item] = like_log_odds(counts(), item);
    return;
  }
  auto scratch = make_scratch(network(), threads);
  const TargetScorer scorer(network(), arguments.vectors.data(), arguments.starts.back());
  threads.run((items() + TargetScorer::kBlock - 1) / TargetScorer::kBlock, [&](std::size_t task, std::size_t thread) {
    const std::size_t begin = task * TargetScorer::kBlock;
    const float* projected =
        projected_items_.size() > 0 ? projected_items_.data() + begin * network().hidden(Gate::kAnd) : nullptr;
    scorer.score(
        0, arguments.starts.back(),
        {{variables().row(begin), variables().width()}, projected, std::min(TargetScorer::kBlock, items() - begin)},
        scratch[thread], scores.data() + begin);
  });
}

void LinnRecommender::prepare_for_queries(ThreadPool& threads) {
  projected_items_ = project_targets(network(), variables().row(0), items(), threads);
}

std::vector<float> LinnRecommender::clause_truths(std::span<const Event> events, std::span<const ItemId> targets,
                                                  ThreadPool& threads) const {
  std::vector<float> truths(events.size() * targets.size());
  if (truths.empty()) return truths;
  ExpressionBatch batch;
  for (const Event& event : events) {
    const Literal literal = Literal::of(event.item, !event.liked);
    batch.add_clause({&literal, 1});
    batch.end_expression(Form::kDnf);
  }
  const AlignedArray<float> arguments = root_vectors(network(), variables(), batch, threads);
  auto scratch = make_scratch(network(), threads);
  const TargetScorer scorer(network(), arguments.data(), events.size());
  const std::size_t blocks = (targets.size() + TargetScorer::kBlock - 1) / TargetScorer::kBlock;
  threads.run(events.size() * blocks, [&](std::size_t task, std::size_t thread) {
    const std::size_t event = task / blocks;
    const std::size_t begin = task % blocks * TargetScorer::kBlock;
    const std::size_t count = std::min(TargetScorer::kBlock, targets.size() - begin);
    float* out = truths.data() + event * targets.size() + begin;
    scorer.score(event, event + 1, {{variables().row(0), variables().width(), targets.data() + begin}, nullptr, count},
                 scratch[thread], out);
    for (std::size_t i = 0; i < count; ++i) out[i] = logistic(out[i]);
  });
  return truths;
}

}  // namespace linn
