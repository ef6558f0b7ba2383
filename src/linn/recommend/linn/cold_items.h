// Vectors for items without training events, made from their categories.
//
// A ridge regression predicts the trained vectors V of other items from their categories: with a row x of ones and
// zeros per item (a one for each of its categories, and one for all) and a weight per item, W = diag(w), the
// coefficients are B = (Xᵀ W X + R)⁻¹ Xᵀ W V, R = kRidge I but for the row of all items, which is hardly regularized. A
// cold item gets the vector xᵀ B: the mean of all items, and what each category adds.
//
// w_i ~ ratings_i^kPower with mean 1: what is rated much has a vector that is known well, and is what a like will most
// likely look like; without weights, an item would be ranked as one of the many that nobody likes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "linn/base/thread_pool.h"
#include "linn/data/item_categories.h"
#include "linn/nn/embedding.h"
#include "linn/recommend/protocol/likes.h"

namespace linn {

class ColdItems {
 public:
  static constexpr double kPower = 1.5;
  static constexpr double kRidge = 10.0;
  // The most frequent categories of the items that are learned from; a category of only one of them says nothing.
  static constexpr std::size_t kMostCategories = 2000;

  ColdItems(const ItemCategories& categories, const ItemCounts& counts);

  // The items that get a vector: those without training events that have a category which is learned.
  const std::vector<ItemId>& items() const { return cold_; }

  // Whether the vectors are those from categories.
  bool are_made() const { return !kept_.empty(); }
  // Replaces the vectors of the items, the first rows of the table, until restore() brings the former ones back.
  void make(EmbeddingTable& vectors, ThreadPool& threads);
  void restore(EmbeddingTable& vectors);

 private:
  struct Row {
    ItemId item;
    double weight;
    std::vector<std::uint32_t> ones;  // the columns of its categories, and the last
  };
  Row row_of(ItemId item, double weight, const ItemCategories& categories) const;

  std::size_t columns_ = 0;                    // the learned categories, and one for all items
  std::vector<std::uint32_t> column_of_;       // by category
  std::vector<Row> trained_rows_, cold_rows_;  // cold ones in the order of cold_
  std::vector<ItemId> cold_;
  std::vector<float> kept_;
};

}  // namespace linn
