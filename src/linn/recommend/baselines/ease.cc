// Embarrassingly shallow autoencoders (Steck, 2019): a linear model in closed form that predicts the likes of every
// item from the likes of all others.
//
// With X the users' likes in training and P = (X^T X + ridge I)^-1, the weights are B_ij = -P_ij / P_jj and B_jj = 0,
// and the score of item j is the sum of B_hj over the liked items h of the history.

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cassert>
#include <utility>

#include "linn/base/error.h"
#include "linn/recommend/baselines/baselines.h"
#include "linn/recommend/protocol/likes.h"

namespace linn {
namespace {

// The weights of a larger catalogue exceed the memory of most machines.
constexpr std::size_t kMaxItems = 20'000;

struct EaseOptions : RankingOptions {
  std::size_t history = 0;  // at most this many events; 0: all
  double ridge = 500.0;
};

using EigenMatrix = Eigen::MatrixXd;

// X^T X + ridge I.
EigenMatrix gram_matrix(const TrainingLikes& likes, double ridge, ThreadPool& threads) {
  const auto n = static_cast<Eigen::Index>(likes.items());
  EigenMatrix gram = EigenMatrix::Zero(n, n);
  for_each_cooccurrence(likes, threads, [&](ItemId item, auto counts, auto others, std::size_t) {
    for (const ItemId other : others) gram(other, item) = counts[other];
    gram(item, item) += ridge;
  });
  return gram;
}

// Solves for the inverse one block of columns at a time, so that the result does not depend on the number of threads.
EigenMatrix inverse_of(EigenMatrix gram, ThreadPool& threads) {
  const Eigen::LLT<Eigen::Ref<EigenMatrix>> factors(gram);  // in place
  if (factors.info() != Eigen::Success) {
    throw Failure("EASE cannot invert the matrix of likes with a ridge this small; use a larger one");
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

std::vector<float> fit_weights(const Histories& histories, double ridge, ThreadPool& threads) {
  const std::size_t n = histories.items();
  if (n > kMaxItems) {
    // At the peak there are two matrices of doubles: the factors and the inverse.
    const double gigabytes = 2.0 * sizeof(double) * static_cast<double>(n) * static_cast<double>(n) / 1e9;
    throw InputError(
        fmt::format("EASE compares all pairs of items: {} items would take {:.0f} GB of memory; it supports "
                    "at most {} items",
                    n, gigabytes, kMaxItems));
  }
  const TrainingLikes likes(histories);
  const EigenMatrix inverse = inverse_of(gram_matrix(likes, ridge, threads), threads);
  std::vector<float> weights(n * n);
  threads.run(n, [&](std::size_t row, std::size_t) {
    // P is symmetric, and its columns are contiguous.
    const auto i = static_cast<Eigen::Index>(row);
    for (std::size_t column = 0; column < n; ++column) {
      const auto j = static_cast<Eigen::Index>(column);
      weights[row * n + column] = row == column ? 0.0F : static_cast<float>(-inverse(j, i) / inverse(j, j));
    }
  });
  return weights;
}

class EaseModel : public RankingModel {
 public:
  // `weights` has one row per item of a history and one column per scored item.
  EaseModel(std::vector<float> weights, std::vector<float> likes, std::size_t history)
      : weights_(std::move(weights)), likes_(std::move(likes)), window_{history, false} {
    assert(weights_.size() == likes_.size() * likes_.size());
  }

  void score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each, std::span<float> scores,
             ThreadPool& threads) const override {
    assert(items.size() == queries.size() * each && scores.size() == items.size());
    std::vector<std::vector<Event>> windows(threads.threads());
    threads.run(queries.size(), [&](std::size_t i, std::size_t thread) {
      std::vector<Event>& window = windows[thread];
      window.clear();
      window_.cut(queries[i].history, window);
      const auto targets = items.subspan(i * each, each);
      const auto result = scores.subspan(i * each, each);
      if (window.empty()) {
        for (std::size_t j = 0; j < each; ++j) result[j] = likes_[targets[j]];
        return;
      }
      std::fill(result.begin(), result.end(), 0.0F);
      for (const Event& event : window) {
        const float* row = weights_.data() + event.item * likes_.size();
        for (std::size_t j = 0; j < each; ++j) result[j] += row[targets[j]];
      }
    });
  }
  std::size_t items() const override { return likes_.size(); }
  void add_values(SafetensorsWriter& out, const std::string& prefix) const override {
    out.add(prefix + "weights", {likes_.size(), likes_.size()}, std::span(weights_));
    out.add(prefix + "likes", {likes_.size()}, std::span(likes_));
  }

 private:
  std::vector<float> weights_;
  std::vector<float> likes_;  // the scores of an empty history
  HistoryWindow window_;
};

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
    table.integer("history", "Number of last events of a history that are read; 0: all", 0, 100'000,
                  &EaseOptions::history);
    table.number("ridge", "Weight of the squared norm of the item weights", 1e-6, 1e9, &EaseOptions::ridge);
    table.include<RankingOptions>(ranking_option_table());
    return table;
  }
};

}  // namespace

std::unique_ptr<const RecommenderKind> ease_kind() { return std::make_unique<EaseKind>(); }

}  // namespace linn
