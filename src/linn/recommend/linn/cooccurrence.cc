#include "linn/recommend/linn/cooccurrence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace linn {
namespace {

constexpr std::uint32_t kPopular = 30;  // popular items have more users than this
constexpr std::uint32_t kRare = 5;      // rare items have fewer users than this
constexpr std::size_t kEach = 3;        // items of each class

std::vector<Event> as_likes(std::span<const ItemId> items) {
  std::vector<Event> events;
  for (const ItemId item : items) events.push_back({item, true});
  return events;
}

}  // namespace

std::vector<float> cooccurrence(const Reasoning& model, std::span<const ItemId> items, ThreadPool& threads) {
  return model.clause_truths(as_likes(items), items, threads);
}

std::vector<ItemId> items_over_popularity(const ItemCounts& counts, Random& random) {
  std::vector<ItemId> rated;
  for (ItemId item = 0; item < counts.users.size(); ++item) {
    if (counts.users[item] > 0) rated.push_back(item);
  }
  std::ranges::stable_sort(rated, std::greater<>(), [&](ItemId item) { return counts.users[item]; });
  if (rated.size() <= 3 * kEach) return rated;

  // The classes in order: popular, medium, rare.
  const auto first_with = [&](auto holds) {
    return static_cast<std::size_t>(std::ranges::find_if(rated, holds) - rated.begin());
  };
  std::array<std::size_t, 4> bounds = {0, first_with([&](ItemId item) { return counts.users[item] <= kPopular; }),
                                       first_with([&](ItemId item) { return counts.users[item] < kRare; }),
                                       rated.size()};
  for (std::size_t i = 0; i < 3; ++i) {
    if (bounds[i + 1] - bounds[i] >= kEach) continue;
    bounds = {0, rated.size() / 3, 2 * rated.size() / 3, rated.size()};
    break;
  }
  std::vector<ItemId> chosen;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::span<ItemId> part = std::span(rated).subspan(bounds[i], bounds[i + 1] - bounds[i]);
    random.shuffle(part);
    chosen.insert(chosen.end(), part.begin(), part.begin() + kEach);
  }
  std::ranges::stable_sort(chosen, std::greater<>(), [&](ItemId item) { return counts.users[item]; });
  return chosen;
}

double mean_asymmetry(const Reasoning& model, std::size_t pairs, Random& random, ThreadPool& threads) {
  const std::size_t items = model.counts().users.size();
  if (items < 2 || pairs == 0) return 0.0;
  // A square of n distinct items gives n (n - 1) / 2 pairs for n vectors.
  constexpr std::size_t kSide = 32;
  const std::size_t side = std::min(kSide, items);
  double sum = 0.0;
  std::size_t count = 0;
  std::vector<ItemId> all(items);
  std::iota(all.begin(), all.end(), ItemId{0});
  while (count < pairs) {
    for (std::size_t i = 0; i < side; ++i) std::swap(all[i], all[i + random.below(all.size() - i)]);
    const std::vector<float> truths = cooccurrence(model, std::span(all).first(side), threads);
    for (std::size_t i = 0; i < side; ++i) {
      for (std::size_t j = i + 1; j < side && count < pairs; ++j, ++count) {
        sum += std::abs(static_cast<double>(truths[i * side + j]) - static_cast<double>(truths[j * side + i]));
      }
    }
  }
  return sum / static_cast<double>(pairs);
}

}  // namespace linn
