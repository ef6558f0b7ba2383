// The truth of "likes both" for pairs of items, according to a trained LINN (paper, section 5.5).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "linn/base/random.h"
#include "linn/base/thread_pool.h"
#include "linn/recommend/protocol/likes.h"
#include "linn/recommend/protocol/ranking_model.h"

namespace linn {

// Sim(v_i and v_j, T): one row per i, one column per j.
std::vector<float> cooccurrence(const Reasoning& model, std::span<const ItemId> items, ThreadPool& threads);

// Nine random items as in the paper's figure, most popular first: three rated by more than 30 users in training, three
// by 5 to 30, and three by 1 to 4. If the data has too few of a class, the rated items are cut into three classes of
// equal size by popularity; if there are at most nine rated items, all are returned.
std::vector<ItemId> items_over_popularity(const ItemCounts& counts, Random& random);

// The mean of |Sim(v_i and v_j, T) - Sim(v_j and v_i, T)| over random pairs of distinct items: zero for a commutative
// AND.
double mean_asymmetry(const Reasoning& model, std::size_t pairs, Random& random, ThreadPool& threads);

}  // namespace linn
