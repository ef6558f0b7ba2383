// How true a trained LINN thinks "likes both" is, for pairs of items (paper, section 5.5).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "linn/base/random.h"
#include "linn/base/thread_pool.h"
#include "linn/recommend/protocol/item_counts.h"
#include "linn/recommend/protocol/ranking_model.h"

namespace linn {

// Sim(v_i and v_j, T): a row for each i, a column for each j.
std::vector<float> cooccurrence(const Reasoning& model, std::span<const ItemId> items, ThreadPool& threads);

// Nine items as the paper shows them, the most popular first: three that over 30 users met in training, three that 5 to
// 30 did, and three that fewer than 5 did (but somebody). Where the data has too few of a kind, the items that were met
// are cut into three parts of equal size by how popular they are; fewer than nine are all taken.
std::vector<ItemId> items_over_popularity(const ItemCounts& counts, Random& random);

// The mean of |Sim(v_i and v_j, T) - Sim(v_j and v_i, T)| over random pairs of different items: zero for an AND that
// does not care about the order.
double mean_asymmetry(const Reasoning& model, std::size_t pairs, Random& random, ThreadPool& threads);

}  // namespace linn
