#include "linn/recommend/linn/fold_recommender.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>

#include "linn/base/error.h"
#include "linn/base/logistic.h"
#include "linn/kernels/rows.h"

namespace linn {

void check_fold(const LinnRecommenderOptions& options) {
  if (!has_pair_truth(options.network)) {
    throw InputError(
        "form=fold needs and_structure=product (or mlp_product with gate_depth=1 and gate_activation=relu) and "
        "similarity=dot");
  }
  if (options.loss != RankingLoss::kSoftmax)
    throw InputError("form=fold needs loss=softmax; the forms dnf and factored know others");
  if (options.random_order) throw InputError("form=fold reads events in their order: order must be fixed");
  if (options.clause_order != 1) throw InputError("form=fold has no clauses of order 2; choose form=dnf");
}

FoldRecommender::FoldRecommender(const LinnRecommenderOptions& options, const Histories& histories, Context& context)
    : LinnModel(options, histories, context), truth_(network()) {}

FoldRecommender::FoldRecommender(const LinnRecommenderOptions& options, const SafetensorsFile& in,
                                 const Catalogue& catalogue, const std::string& prefix)
    : LinnModel(options, in, catalogue, prefix), truth_(network()) {}

void FoldRecommender::use_shards(Shards& shards) {
  sharded_step_ =
      std::make_unique<ShardedFoldStep>(mutable_network(), mutable_variables(), items(), optimizer(), shards,
                                        logic_step_options(options(), options().dropout), options().event_dropout);
  sharded_step_->scale_laws(current_law_scale());
}

double FoldRecommender::train_on_histories(const HistoryBatch& batch, Random& random, ThreadPool& threads) {
  if (sharded_step_) {
    item_keys_ = {};
    const StepReport report = sharded_step_->run(batch, random);
    add_to_epoch(report.regularizers);
    return report.task_loss;
  }
  // A step holds nothing but working memory, so it can be recreated for another pool.
  if (!step_ || step_pool_ != &threads) {
    step_ =
        std::make_unique<FoldStep>(mutable_network(), mutable_variables(), items(), optimizer(), threads,
                                   logic_step_options(options(), options().dropout), options().event_dropout, device());
    step_pool_ = &threads;
    step_->scale_laws(current_law_scale());
  }
  item_keys_ = {};
  if (step_->on_device()) {
    step_->queue(batch, random);
    return 0.0;
  }
  const StepReport report = step_->run(batch, random);
  add_to_epoch(report.regularizers);
  return report.task_loss;
}

void FoldRecommender::values_changed() {
  item_keys_ = {};
  if (step_) step_->scale_laws(current_law_scale());
  if (sharded_step_) sharded_step_->scale_laws(current_law_scale());
}

void FoldRecommender::prepare_for_queries(ThreadPool& threads) {
  truth_.keys(items(), variables().row(0), item_keys_, threads);
}

std::vector<Literal> FoldRecommender::literals_of(const Query& query) const {
  std::vector<Event> events;
  window().cut(query.history, events);
  std::vector<Literal> literals;
  if (has_vector(query.user)) literals.push_back(Literal::of(static_cast<VariableId>(items() + *query.user), false));
  for (const Event& event : events) literals.push_back(literal_of(event));
  return literals;
}

PairQueries FoldRecommender::state_queries(const ExpressionBatch& batch, ThreadPool& threads) const {
  const AlignedArray<float> states = vectors_of(batch, threads);
  PairQueries queries;
  truth_.queries(batch.size(), states.data(), queries, threads);
  return queries;
}

PairKeys FoldRecommender::keys_of(std::span<const ItemId> items, ThreadPool& threads) const {
  const std::size_t d = network().width();
  AlignedArray<float> vectors(items.size() * d);
  PairKeys keys;
  copy_rows(items.size(), d, {variables().row(0), d, items.data()}, {vectors.data(), d});
  truth_.keys(items.size(), vectors.data(), keys, threads);
  return keys;
}

void FoldRecommender::score_items(std::span<const Query> queries, const ItemId* items, std::size_t each, float* scores,
                                  ThreadPool& threads) const {
  PairKeys own_keys;
  const bool are_kept = item_keys_.product.size() > 0;
  if (!are_kept) truth_.keys(this->items(), variables().row(0), own_keys, threads);
  const PairKeys& keys = are_kept ? item_keys_ : own_keys;
  // In blocks of so many events, so that the plan of the histories stays small.
  constexpr std::size_t kEvents = 16'384;
  ExpressionBatch batch;
  for (std::size_t first = 0; first < queries.size();) {
    batch.clear();
    std::size_t end = first;
    while (end < queries.size() && (end == first || batch.chain_literals.size() < kEvents)) {
      const std::vector<Literal> literals = literals_of(queries[end++]);
      const auto length = static_cast<std::uint32_t>(literals.size());
      batch.add_chain(literals, {&length, 1});
    }
    const PairQueries states = state_queries(batch, threads);
    threads.run(end - first, [&](std::size_t query, std::size_t) {
      const ItemId* own = items == nullptr ? nullptr : items + (first + query) * each;
      float* out = scores + (first + query) * each;
      if (batch.prefixes[query] == 0) {
        for (std::size_t i = 0; i < each; ++i) {
          out[i] = like_log_odds(counts(), own == nullptr ? static_cast<ItemId>(i) : own[i]);
        }
        return;
      }
      truth_.truths(states, query, keys, each, own, out);
    });
    first = end;
  }
}

void FoldRecommender::score_all(const Query& query, std::span<float> scores, ThreadPool& threads) const {
  score_all_of({&query, 1}, scores, threads);
}

void FoldRecommender::score_all_of(std::span<const Query> queries, std::span<float> scores, ThreadPool& threads) const {
  assert(scores.size() == queries.size() * items());
  score_items(queries, nullptr, items(), scores.data(), threads);
}

void FoldRecommender::score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each,
                            std::span<float> scores, ThreadPool& threads) const {
  assert(items.size() == queries.size() * each && scores.size() == items.size());
  score_items(queries, items.data(), each, scores.data(), threads);
}

std::vector<float> FoldRecommender::clause_truths(std::span<const Event> events, std::span<const ItemId> targets,
                                                  ThreadPool& threads) const {
  std::vector<float> truths(events.size() * targets.size());
  if (truths.empty()) return truths;
  ExpressionBatch batch;
  constexpr std::uint32_t kWhole = 1;
  for (const Event& event : events) batch.add_chain(std::array{literal_of(event)}, {&kWhole, 1});
  const PairQueries queries = state_queries(batch, threads);
  const PairKeys keys = keys_of(targets, threads);
  for (std::size_t e = 0; e < events.size(); ++e) {
    truth_.truths(queries, e, keys, targets.size(), nullptr, truths.data() + e * targets.size());
  }
  for (float& truth : truths) truth = logistic(truth);
  return truths;
}

// The score after k events minus that after k - 1 is the share of event k.
std::optional<ScoreShares> FoldRecommender::score_shares(const Query& query, std::span<const ItemId> targets,
                                                         ThreadPool& threads) const {
  const std::vector<Literal> literals = literals_of(query);
  if (literals.empty()) return std::nullopt;  // scored by counts
  const std::size_t first = has_vector(query.user) ? 1 : 0;
  std::vector<std::uint32_t> prefixes(literals.size() + 1 - first);
  std::iota(prefixes.begin(), prefixes.end(), static_cast<std::uint32_t>(first));
  ExpressionBatch batch;
  batch.add_chain(literals, prefixes);
  const PairQueries queries = state_queries(batch, threads);
  const PairKeys keys = keys_of(targets, threads);
  const std::size_t count = targets.size();
  ScoreShares result;
  result.bases.resize(count);
  truth_.truths(queries, 0, keys, count, nullptr, result.bases.data());
  std::vector<float> before = result.bases;
  std::vector<float> after(count);
  for (std::size_t k = 1; k < prefixes.size(); ++k) {
    truth_.truths(queries, k, keys, count, nullptr, after.data());
    for (std::size_t i = 0; i < count; ++i) result.shares.push_back(after[i] - before[i]);
    before.swap(after);
  }
  return result;
}

}  // namespace linn
