#include "linn/recommend/baselines/item_knn.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "linn/base/error.h"
#include "linn/recommend/baselines/popularity.h"
#include "linn/recommend/protocol/likes.h"

namespace linn {
namespace {

struct Neighbour {
  ItemId item;
  float similarity;
};

// The nearest neighbours of every item, nearest first; of equally near ones those with lower numbers.
std::vector<std::vector<Neighbour>> neighbours_of(const TrainingLikes& likes, const ItemKnnOptions& options,
                                                  ThreadPool& threads) {
  std::vector<std::vector<Neighbour>> nearest(likes.items());
  for_each_cooccurrence(likes, threads, [&](ItemId item, auto counts, auto met, std::size_t) {
    std::vector<Neighbour>& list = nearest[item];
    const auto own = static_cast<double>(likes.users_of(item).size());
    for (const ItemId other : met) {
      if (other == item) continue;
      const auto others = static_cast<double>(likes.users_of(other).size());
      const double similarity = static_cast<double>(counts[other]) / (std::sqrt(own * others) + options.shrinkage);
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

// From "these are my neighbours" to "these have me as a neighbour".
Votes turn_around(const std::vector<std::vector<Neighbour>>& nearest) {
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

}  // namespace

ItemKnnModel::ItemKnnModel(Votes votes, std::vector<float> likes, const HistoryWindow& window)
    : votes_(std::move(votes)), likes_(std::move(likes)), start_(likes_.size()), window_(window) {
  const float most = likes_.empty() ? 0.0F : *std::max_element(likes_.begin(), likes_.end());
  constexpr float kLittle = 1e-6F;
  for (std::size_t i = 0; i < likes_.size(); ++i) start_[i] = most > 0.0F ? kLittle * likes_[i] / most : 0.0F;
}

void ItemKnnModel::score_into(const Query& query, std::vector<Event>& window, std::span<float> scores) const {
  window.clear();
  window_.cut(query.history, window);
  if (window.empty()) {  // a newcomer
    std::copy(likes_.begin(), likes_.end(), scores.begin());
    return;
  }
  std::copy(start_.begin(), start_.end(), scores.begin());
  for (const Event& event : window) {
    const float sign = event.liked ? 1.0F : -1.0F;
    for (std::uint64_t i = votes_.starts[event.item]; i < votes_.starts[event.item + 1]; ++i) {
      scores[votes_.targets[i]] += sign * votes_.weights[i];
    }
  }
}

void ItemKnnModel::score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each,
                         std::span<float> scores, ThreadPool& threads) const {
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

void ItemKnnModel::score_all(const Query& query, std::span<float> scores, ThreadPool& /*threads*/) const {
  std::vector<Event> window;
  score_into(query, window, scores);
}

void ItemKnnModel::add_values(SafetensorsWriter& out, const std::string& prefix) const {
  out.add(prefix + "votes.starts", {votes_.starts.size()}, std::span(votes_.starts));
  out.add(prefix + "votes.targets", {votes_.targets.size()}, std::span(votes_.targets));
  out.add(prefix + "votes.weights", {votes_.weights.size()}, std::span(votes_.weights));
  out.add(prefix + "likes", {likes_.size()}, std::span(likes_));
}

namespace {

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
    return std::make_unique<ItemKnnModel>(turn_around(neighbours_of(likes, options, context.pool())),
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
    const bool fits = std::ranges::is_sorted(votes.starts) && votes.starts.front() == 0 &&
                      votes.starts.back() == votes.targets.size() &&
                      std::ranges::all_of(votes.targets, [&](ItemId item) { return item < items; });
    if (!fits) throw InputError("the votes of the items do not fit together", Place{in.path().string(), 0, 0});
    return std::make_unique<ItemKnnModel>(std::move(votes), vector_of(in.values<float>(prefix + "likes", {items})),
                                          options_of<ItemKnnOptions>(settings).window());
  }

 protected:
  // The length of the history did best on ML-100k's validation data.
  ItemKnnOptions options(Preset, const DataSize&, std::size_t) const override {
    ItemKnnOptions options;
    options.history = 20;
    return options;
  }
  OptionTable<ItemKnnOptions> table() const override {
    OptionTable<ItemKnnOptions> table;
    table.include<HistoryOptions>(
        history_option_table({{"minus", DislikeMode::kMinus}, {"none", DislikeMode::kNone}}));
    table.integer("neighbours", "Items that each item is compared with, the nearest ones", 1, 100'000,
                  &ItemKnnOptions::neighbours);
    table.number("shrinkage", "How much similarities of items with few likes are held back", 0.0, 1e6,
                 &ItemKnnOptions::shrinkage);
    table.include<RankingOptions>(ranking_option_table());
    return table;
  }
};

}  // namespace

std::unique_ptr<const RecommenderKind> item_knn_kind() { return std::make_unique<ItemKnnKind>(); }

}  // namespace linn
