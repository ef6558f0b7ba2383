// Draws the negatives that all targets of a batch share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "linn/base/random.h"
#include "linn/recommend/protocol/histories.h"
#include "linn/recommend/protocol/recommender_options.h"

namespace linn {

class SharedNegatives {
 public:
  // By popularity, an item's weight is the number of its likes in the training rows plus one.
  SharedNegatives(const Histories& histories, NegativeSampling sampling);

  // Replaces the lists by n items, drawn with replacement, and log(n q_j) of each, with q_j the probability of drawing
  // item j: what catalogue_softmax.h subtracts from its score.
  void draw(std::size_t n, Random& random, std::vector<ItemId>& items, std::vector<float>& log_counts) const;

 private:
  std::vector<std::uint64_t> ends_;  // by item: the sum of the weights up to and including its own
};

}  // namespace linn
