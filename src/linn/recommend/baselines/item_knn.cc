// Item-based nearest neighbours (Sarwar et al., 2001): recommends items that are similar to those the user likes.
//
// The similarity of two items is s(i, j) = n_ij / (sqrt(n_i n_j) + shrinkage), where n counts likes in training. The
// score of an item is the sum of its similarities to the liked items of the history that are among its k nearest
// neighbours; disliked ones may count against it.

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <utility>

#include "linn/base/error.h"
#include "linn/recommend/baselines/baselines.h"
#include "linn/recommend/protocol/likes.h"

namespace linn {
namespace {

struct ItemKnnOptions : RankingOptions, HistoryOptions {
  std::size_t neighbours = 100;
  double shrinkage = 10.0;
};

struct Neighbour {
  ItemId item;
  float similarity;
};

// What an item of the history adds to the scores of others: similarities in compressed rows, one row per history item.
struct Votes {
  std::vector<std::uint64_t> starts;  // of each row, and the end
  std::vector<ItemId> targets;        // ascending: the items that have the row's item among their neighbours
  std::vector<float> weights;
};

// The nearest neighbours of every item, nearest first, ties by the lower number.
std::vector<std::vector<Neighbour>> neighbours_of(const TrainingLikes& likes, const ItemKnnOptions& options,
                                                  ThreadPool& threads) {
  std::vector<std::vector<Neighbour>> nearest(likes.items());
  for_each_cooccurrence(likes, threads, [&](ItemId item, auto counts, auto others, std::size_t) {
    std::vector<Neighbour>& list = nearest[item];
    const auto own_likes = static_cast<double>(likes.users_of(item).size());
    for (const ItemId other : others) {
      if (other == item) continue;
      const auto other_likes = static_cast<double>(likes.users_of(other).size());
      const double similarity =
          static_cast<double>(counts[other]) / (std::sqrt(own_likes * other_likes) + options.shrinkage);
      list.push_back({other, static_cast<float>(similarity)});
    }
    const std::size_t kept = std::min(options.neighbours, list.size());
    std::partial_sort(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(kept), list.end(),
                      [](const Neighbour& a, const Neighbour& b) {
                        return a.similarity != b.similarity ? a.similarity > b.similarity : a.item < b.item;
                      });
    list.resize(kept);
    list.shrink_to_fit();
  });
  return nearest;
}

// Transposes the lists of neighbours.
Votes votes_of(const std::vector<std::vector<Neighbour>>& nearest) {
  Votes votes;
  votes.starts.assign(nearest.size() + 1, 0);
  for (const auto& list : nearest) {
    for (const Neighbour& neighbour : list) ++votes.starts[neighbour.item + 1];
  }
  for (std::size_t i = 0; i < nearest.size(); ++i) votes.starts[i + 1] += votes.starts[i];
  votes.targets.resize(votes.starts.back());
  votes.weights.resize(votes.starts.back());
  std::vector<std::uint64_t> next(votes.starts.begin(), votes.starts.end() - 1);
  for (ItemId item = 0; item < nearest.size(); ++item) {
    for (const Neighbour& neighbour : nearest[item]) {
      votes.targets[next[neighbour.item]] = item;
      votes.weights[next[neighbour.item]++] = neighbour.similarity;
    }
  }
  return votes;
}

class ItemKnnModel : public RankingModel {
 public:
  ItemKnnModel(Votes votes, std::vector<float> likes, const HistoryWindow& window)
      : votes_(std::move(votes)), likes_(std::move(likes)), base_(likes_.size()), window_(window) {
    const float most = likes_.empty() ? 0.0F : *std::max_element(likes_.begin(), likes_.end());
    constexpr float kTiny = 1e-6F;
    for (std::size_t i = 0; i < likes_.size(); ++i) base_[i] = most > 0.0F ? kTiny * likes_[i] / most : 0.0F;
  }

  void score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each, std::span<float> scores,
             ThreadPool& threads) const override {
    assert(items.size() == queries.size() * each && scores.size() == items.size());
    struct Scratch {
      std::vector<Event> window;
      std::vector<float> all;
    };
    std::vector<Scratch> scratch(threads.threads());
    threads.run(queries.size(), [&](std::size_t i, std::size_t thread) {
      Scratch& s = scratch[thread];
      s.all.resize(likes_.size());
      score_into(queries[i], s.window, s.all);
      for (std::size_t j = i * each; j < (i + 1) * each; ++j) scores[j] = s.all[items[j]];
    });
  }
  void score_all(const Query& query, std::span<float> scores, ThreadPool& /*threads*/) const override {
    std::vector<Event> window;
    score_into(query, window, scores);
  }
  std::size_t items() const override { return likes_.size(); }
  void add_values(SafetensorsWriter& out, const std::string& prefix) const override {
    out.add(prefix + "votes.starts", {votes_.starts.size()}, std::span(votes_.starts));
    out.add(prefix + "votes.targets", {votes_.targets.size()}, std::span(votes_.targets));
    out.add(prefix + "votes.weights", {votes_.weights.size()}, std::span(votes_.weights));
    out.add(prefix + "likes", {likes_.size()}, std::span(likes_));
  }

 private:
  void score_into(const Query& query, std::vector<Event>& window, std::span<float> scores) const {
    window.clear();
    window_.cut(query.history, window);
    if (window.empty()) {
      std::copy(likes_.begin(), likes_.end(), scores.begin());
      return;
    }
    std::copy(base_.begin(), base_.end(), scores.begin());
    for (const Event& event : window) {
      const float sign = event.liked ? 1.0F : -1.0F;
      for (std::uint64_t i = votes_.starts[event.item]; i < votes_.starts[event.item + 1]; ++i) {
        scores[votes_.targets[i]] += sign * votes_.weights[i];
      }
    }
  }

  Votes votes_;
  std::vector<float> likes_;  // the scores of an empty history
  std::vector<float> base_;   // popularity, scaled down so far that it only breaks ties
  HistoryWindow window_;
};

class ItemKnnKind : public RecommenderKindOf<ItemKnnOptions> {
 public:
  std::string_view name() const override { return "itemknn"; }
  double cost() const override { return 5.0; }
  std::vector<std::string> search_ranges(Preset) const override {
    return {"neighbours=20,50,100,200,400", "shrinkage=0..100", "history=10,20,50,0"};
  }

  std::unique_ptr<RankingModel> fit(const Settings& settings, const Histories& histories,
                                    Context& context) const override {
    const auto& options = options_of<ItemKnnOptions>(settings);
    const TrainingLikes likes(histories);
    return std::make_unique<ItemKnnModel>(votes_of(neighbours_of(likes, options, context.pool())),
                                          like_counts(histories), options.window());
  }

  std::unique_ptr<RankingModel> load(const Settings& settings, const SafetensorsFile& in, const Catalogue& catalogue,
                                     const std::string& prefix) const override {
    const std::size_t items = catalogue.items.size();
    const auto vector_of = [](auto values) { return std::vector(values.begin(), values.end()); };
    Votes votes;
    votes.starts = vector_of(in.values<std::uint64_t>(prefix + "votes.starts", {items + 1}));
    votes.targets = vector_of(in.values<std::uint32_t>(prefix + "votes.targets"));
    votes.weights = vector_of(in.values<float>(prefix + "votes.weights", {votes.targets.size()}));
    const bool consistent = std::ranges::is_sorted(votes.starts) && votes.starts.front() == 0 &&
                            votes.starts.back() == votes.targets.size() &&
                            std::ranges::all_of(votes.targets, [&](ItemId item) { return item < items; });
    if (!consistent) throw in.error("the tensors 'votes.*' are inconsistent");
    return std::make_unique<ItemKnnModel>(std::move(votes), vector_of(in.values<float>(prefix + "likes", {items})),
                                          options_of<ItemKnnOptions>(settings).window());
  }

 protected:
  ItemKnnOptions options(Preset, const DataSize&, std::size_t) const override {
    ItemKnnOptions options;
    options.history = 20;  // best on the validation data of ML-100k
    return options;
  }
  OptionTable<ItemKnnOptions> table() const override {
    OptionTable<ItemKnnOptions> table;
    table.include<HistoryOptions>(history_option_table({{"minus", DislikeMode::kMinus}, {"none", DislikeMode::kNone}}));
    table.integer("neighbours", "Nearest neighbours of each item", 1, 100'000, &ItemKnnOptions::neighbours);
    table.number("shrinkage", "Shrinkage of the similarities of items with few likes", 0.0, 1e6,
                 &ItemKnnOptions::shrinkage);
    table.include<RankingOptions>(ranking_option_table());
    return table;
  }
};

}  // namespace

std::unique_ptr<const RecommenderKind> item_knn_kind() { return std::make_unique<ItemKnnKind>(); }

}  // namespace linn
