// Embarrassingly shallow autoencoders (Steck, 2019): a linear model in closed form that predicts the likes of every
// item from the likes of all others.
//
// With X the users' likes in training and P = (X^T X + ridge I)^-1, the weights are B_ij = -P_ij / P_jj and B_jj = 0,
// and the score of item j is the sum of B_hj over the liked items h of the history.

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <string>
#include <utility>

#include "linn/base/error.h"
#include "linn/kernels/symmetric_matrix.h"
#include "linn/recommend/baselines/baselines.h"
#include "linn/recommend/protocol/likes.h"

namespace linn {
namespace {

// The weights of a larger catalogue exceed the memory of most machines.
constexpr std::size_t kMaxItems = 30'000;

struct EaseOptions : RankingOptions {
  std::size_t history = 0;  // at most this many events; 0: all
  double ridge = 500.0;
};

// X^T X + ridge I.
SymmetricMatrix gram_matrix(const TrainingLikes& likes, double ridge, ThreadPool& threads) {
  SymmetricMatrix gram(likes.items());
  for_each_cooccurrence(likes, threads, [&](ItemId item, auto counts, auto others, std::size_t) {
    for (const ItemId other : others) {
      if (other <= item) gram.at(item, other) = counts[other];
    }
    gram.at(item, item) += ridge;
  });
  return gram;
}

std::vector<float> fit_weights(const Histories& histories, double ridge, Context& context) {
  ThreadPool& threads = context.pool();
  const std::size_t n = histories.items();
  if (n > kMaxItems) {
    // Half a matrix of doubles, and the weights.
    const double gigabytes =
        (sizeof(double) / 2.0 + sizeof(float)) * static_cast<double>(n) * static_cast<double>(n) / 1e9;
    throw InputError(
        fmt::format("EASE compares all pairs of items: {} items would take {:.0f} GB of memory; it supports "
                    "at most {} items",
                    n, gigabytes, kMaxItems));
  }
  SymmetricMatrix matrix = gram_matrix(TrainingLikes(histories), ridge, threads);
  const std::string what = fmt::format("inverting a matrix of {} x {}", n, n);
  const auto progress = [&](std::size_t done, std::size_t total) {
    context.report({what, done, total, std::numeric_limits<double>::quiet_NaN()});
  };
  if (!invert_positive_definite(matrix, threads, progress)) {
    throw Failure("EASE cannot invert the matrix of likes with a ridge this small; use a larger one");
  }
  std::vector<double> diagonal(n);
  for (std::size_t j = 0; j < n; ++j) diagonal[j] = matrix.at(j, j);
  std::vector<float> weights(n * n);
  threads.run(n, [&](std::size_t i, std::size_t) {
    for (std::size_t j = 0; j < n; ++j) {
      const double inverse = j < i ? matrix.at(i, j) : matrix.at(j, i);
      weights[i * n + j] = j == i ? 0.0F : static_cast<float>(-inverse / diagonal[j]);
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
    return std::make_unique<EaseModel>(fit_weights(histories, options.ridge, context), like_counts(histories),
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
