#include "linn/recommend/linn/fold_recommender.h"

#include <algorithm>
#include <cassert>

#include "linn/base/error.h"
#include "linn/kernels/rows.h"
#include "linn/recommend/linn/root_vectors.h"

namespace linn {

void check_fold(const LinnRecommenderOptions& options) {
  if (!has_product_truth(options.network)) {
    throw InputError("form=fold scores by products: it needs and_structure=product and similarity=dot");
  }
  if (options.loss != RankingLoss::kSoftmax) throw InputError("form=fold needs loss=softmax");
  if (options.clause_order != 1) throw InputError("form=fold has no clauses: clause_order must be 1");
}

FoldRecommender::FoldRecommender(const LinnRecommenderOptions& options, const Histories& histories, Context& context)
    : LinnModel(options, histories, context), truth_(network()) {}

FoldRecommender::FoldRecommender(const LinnRecommenderOptions& options, const SafetensorsFile& in,
                                 const Catalogue& catalogue, const std::string& prefix)
    : LinnModel(options, in, catalogue, prefix), truth_(network()) {}

double FoldRecommender::train_on_histories(const HistoryBatch& batch, Random& random, ThreadPool& threads) {
  // A step holds nothing but working memory, so it can be recreated for another pool.
  if (!step_ || step_pool_ != &threads) {
    step_ = std::make_unique<FoldStep>(mutable_network(), mutable_variables(), items(), optimizer(), threads,
                                       logic_step_options(options(), options().dropout));
    step_pool_ = &threads;
    step_->scale_laws(current_law_scale());
  }
  item_keys_ = {};
  const StepReport report = step_->run(batch, random);
  add_to_epoch(report.regularizers);
  return report.task_loss;
}

void FoldRecommender::values_changed() {
  item_keys_ = {};
  if (step_) step_->scale_laws(current_law_scale());
}

void FoldRecommender::prepare_for_queries(ThreadPool& threads) {
  item_keys_.reshape(items() * network().width());
  truth_.keys(items(), variables().row(0), item_keys_.data(), threads);
}

bool FoldRecommender::is_known(const Query& query) const {
  if (has_vector(query.user)) return true;
  return window().dislikes ? !query.history.empty() : std::ranges::any_of(query.history, &Event::liked);
}

AlignedArray<float> FoldRecommender::find_queries(std::span<const Query> queries, ThreadPool& threads) const {
  ExpressionBatch batch;
  std::vector<Event> events;
  std::vector<Literal> literals;
  for (const Query& query : queries) {
    events.clear();
    literals.clear();
    window().cut(query.history, events);
    if (has_vector(query.user)) literals.push_back(Literal::of(static_cast<VariableId>(items() + *query.user), false));
    add_literals(events, literals);
    const auto length = static_cast<std::uint32_t>(literals.size());
    batch.add_chain(literals, {&length, 1});
  }
  const AlignedArray<float> states = root_vectors(network(), variables(), batch, threads);
  AlignedArray<float> vectors(states.size());
  truth_.queries(queries.size(), states.data(), vectors.data(), threads);
  return vectors;
}

void FoldRecommender::score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each,
                            std::span<float> scores, ThreadPool& threads) const {
  assert(items.size() == queries.size() * each && scores.size() == items.size());
  const std::size_t d = network().width();
  AlignedArray<float> own_keys;
  const float* keys = item_keys_.data();
  if (item_keys_.size() == 0) {
    own_keys.reshape(this->items() * d);
    truth_.keys(this->items(), variables().row(0), own_keys.data(), threads);
    keys = own_keys.data();
  }
  // In blocks of queries, so that the plan of the histories stays small.
  constexpr std::size_t kQueries = 256;
  for (std::size_t first = 0; first < queries.size(); first += kQueries) {
    const std::size_t count = std::min(kQueries, queries.size() - first);
    const AlignedArray<float> vectors = find_queries(queries.subspan(first, count), threads);
    threads.run(count, [&](std::size_t query, std::size_t) {
      const std::size_t begin = (first + query) * each;
      if (!is_known(queries[first + query])) {
        for (std::size_t i = begin; i < begin + each; ++i) scores[i] = like_log_odds(counts(), items[i]);
        return;
      }
      dot_rows(each, d, {vectors.data() + query * d, 0}, {keys, d, items.data() + begin}, scores.data() + begin);
    });
  }
}

void FoldRecommender::score_all(const Query& query, std::span<float> scores, ThreadPool& threads) const {
  assert(scores.size() == items());
  if (!is_known(query)) {
    for (ItemId item = 0; item < items(); ++item) scores[item] = like_log_odds(counts(), item);
    return;
  }
  const std::size_t d = network().width();
  const AlignedArray<float> vector = find_queries({&query, 1}, threads);
  constexpr std::size_t kItems = 1024;
  threads.run((items() + kItems - 1) / kItems, [&](std::size_t task, std::size_t) {
    const std::size_t begin = task * kItems;
    const std::size_t count = std::min(kItems, items() - begin);
    if (item_keys_.size() > 0) {
      dot_rows(count, d, {vector.data(), 0}, {item_keys_.data() + begin * d, d}, scores.data() + begin);
      return;
    }
    AlignedArray<float> keys(count * d);
    ThreadPool own(1);
    truth_.keys(count, variables().row(begin), keys.data(), own);
    dot_rows(count, d, {vector.data(), 0}, {keys.data(), d}, scores.data() + begin);
  });
}

}  // namespace linn
