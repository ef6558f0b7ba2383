#include "linn/recommend/baselines/ease.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cassert>

#include "linn/base/error.h"
#include "linn/recommend/baselines/popularity.h"
#include "linn/recommend/protocol/likes.h"

namespace linn {
namespace {

using EigenMatrix = Eigen::MatrixXd;

// X^T X + ridge I.
EigenMatrix gram_matrix(const TrainingLikes& likes, double ridge, ThreadPool& threads) {
  const auto n = static_cast<Eigen::Index>(likes.items());
  EigenMatrix gram = EigenMatrix::Zero(n, n);
  for_each_cooccurrence(likes, threads, [&](ItemId item, auto counts, auto met, std::size_t) {
    for (const ItemId other : met) gram(other, item) = counts[other];
    gram(item, item) += ridge;
  });
  return gram;
}

// The inverse, a block of columns at a time: what a column comes to does not depend on who else works.
EigenMatrix inverse_of(EigenMatrix gram, ThreadPool& threads) {
  const Eigen::LLT<Eigen::Ref<EigenMatrix>> factors(gram);  // in place
  if (factors.info() != Eigen::Success) {
    throw Failure("the likes cannot be inverted with so small a ridge; a larger one helps");
  }
  const Eigen::Index n = gram.rows();
  EigenMatrix inverse = EigenMatrix::Identity(n, n);
  constexpr Eigen::Index kColumns = 64;
  const auto blocks = static_cast<std::size_t>((n + kColumns - 1) / kColumns);
  threads.run(blocks, [&](std::size_t block, std::size_t) {
    const Eigen::Index first = static_cast<Eigen::Index>(block) * kColumns;
    auto columns = inverse.middleCols(first, std::min(kColumns, n - first));
    factors.solveInPlace(columns);
  });
  return inverse;
}

}  // namespace

EaseModel::EaseModel(std::vector<float> weights, std::vector<float> likes, std::size_t history)
    : weights_(std::move(weights)), likes_(std::move(likes)), window_{history, false} {
  assert(weights_.size() == likes_.size() * likes_.size());
}

void EaseModel::score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each,
                      std::span<float> scores, ThreadPool& threads) const {
  assert(items.size() == queries.size() * each && scores.size() == items.size());
  std::vector<std::vector<Event>> windows(threads.threads());
  threads.run(queries.size(), [&](std::size_t i, std::size_t thread) {
    std::vector<Event>& window = windows[thread];
    window.clear();
    window_.cut(queries[i].history, window);
    const auto wanted = items.subspan(i * each, each);
    const auto result = scores.subspan(i * each, each);
    if (window.empty()) {  // a newcomer
      for (std::size_t j = 0; j < each; ++j) result[j] = likes_[wanted[j]];
      return;
    }
    std::fill(result.begin(), result.end(), 0.0F);
    for (const Event& event : window) {
      const float* row = weights_.data() + event.item * likes_.size();
      for (std::size_t j = 0; j < each; ++j) result[j] += row[wanted[j]];
    }
  });
}

void EaseModel::add_values(SafetensorsWriter& out, const std::string& prefix) const {
  out.add(prefix + "weights", {likes_.size(), likes_.size()}, std::span(weights_));
  out.add(prefix + "likes", {likes_.size()}, std::span(likes_));
}

namespace {

std::vector<float> fit_weights(const Histories& histories, double ridge, ThreadPool& threads) {
  const std::size_t n = histories.items();
  if (n > kLargestEaseCatalogue) {
    // Two matrices of doubles while the inverse is computed; of these only one is left when the weights are made.
    const double gigabytes = 2.0 * sizeof(double) * static_cast<double>(n) * static_cast<double>(n) / 1e9;
    throw InputError(
        fmt::format("EASE compares all pairs of items: {} of them would take {:.0f} GB of memory; it is for "
                    "at most {} items",
                    n, gigabytes, kLargestEaseCatalogue));
  }
  const TrainingLikes likes(histories);
  const EigenMatrix inverse = inverse_of(gram_matrix(likes, ridge, threads), threads);
  std::vector<float> weights(n * n);
  threads.run(n, [&](std::size_t row, std::size_t) {
    // P is symmetric, and a column of it lies in one piece.
    const auto i = static_cast<Eigen::Index>(row);
    for (std::size_t column = 0; column < n; ++column) {
      const auto j = static_cast<Eigen::Index>(column);
      weights[row * n + column] = row == column ? 0.0F : static_cast<float>(-inverse(j, i) / inverse(j, j));
    }
  });
  return weights;
}

class EaseKind : public RecommenderKindOf<EaseOptions> {
 public:
  std::string_view name() const override { return "ease"; }
  double cost() const override { return 5.0; }
  std::vector<std::string> search_ranges(Preset) const override {
    return {"ridge=10..2000:log", "history=10,20,50,100,0"};
  }

  std::unique_ptr<RankingModel> fit(const Settings& settings, const Histories& histories,
                                    Context& context) const override {
    const auto& options = options_of<EaseOptions>(settings);
    return std::make_unique<EaseModel>(fit_weights(histories, options.ridge, context.pool()), like_counts(histories),
                                       options.history);
  }

  std::unique_ptr<RankingModel> load(const Settings& settings, const SafetensorsFile& in, const Catalogue& catalogue,
                                     const std::string& prefix) const override {
    const std::size_t n = catalogue.items.size();
    const auto vector_of = [](auto values) { return std::vector(values.begin(), values.end()); };
    return std::make_unique<EaseModel>(vector_of(in.values<float>(prefix + "weights", {n, n})),
                                       vector_of(in.values<float>(prefix + "likes", {n})),
                                       options_of<EaseOptions>(settings).history);
  }

 protected:
  EaseOptions options(Preset, const DataSize&, std::size_t) const override { return {}; }
  OptionTable<EaseOptions> table() const override {
    OptionTable<EaseOptions> table;
    table.integer("history", "Events of a history that are read, the last ones; 0: all", 0, 100'000,
                  &EaseOptions::history);
    table.number("ridge", "Weight of the squared norm of the item weights", 1e-6, 1e9, &EaseOptions::ridge);
    table.include<RankingOptions>(ranking_option_table());
    return table;
  }
};

}  // namespace

std::unique_ptr<const RecommenderKind> ease_kind() { return std::make_unique<EaseKind>(); }

}  // namespace linn
