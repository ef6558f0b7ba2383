#include "linn/recommend/protocol/shared_negatives.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "linn/recommend/protocol/likes.h"

namespace linn {

SharedNegatives::SharedNegatives(const Histories& histories, NegativeSampling sampling) {
  const bool by_popularity = sampling == NegativeSampling::kPopularity;
  const ItemCounts counts = count_items(histories);
  std::uint64_t sum = 0;
  ends_.reserve(histories.items());
  for (const std::uint32_t likes : counts.likes) {
    sum += by_popularity ? likes + std::uint64_t{1} : 1;
    ends_.push_back(sum);
  }
}

void SharedNegatives::draw(std::size_t n, Random& random, std::vector<ItemId>& items,
                           std::vector<float>& log_counts) const {
  assert(!ends_.empty());
  items.resize(n);
  log_counts.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto end = std::ranges::upper_bound(ends_, random.below(ends_.back()));
    const std::uint64_t weight = *end - (end == ends_.begin() ? 0 : *(end - 1));
    items[i] = static_cast<ItemId>(end - ends_.begin());
    log_counts[i] = static_cast<float>(
        std::log(static_cast<double>(n) * static_cast<double>(weight) / static_cast<double>(ends_.back())));
  }
}

}  // namespace linn
