// Items are recommended to those who like their neighbours (Sarwar et al., 2001).
//
// Two items are as similar as the users who like them are the same: s(i, j) = n_ij / (sqrt(n_i n_j) + shrinkage), where
// n counts likes in the training rows. The score of an item is the sum of its similarities to the liked items of the
// history that are among its k nearest neighbours; disliked ones may count against it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "linn/recommend/protocol/ranking_model.h"
#include "linn/recommend/protocol/recommender_kind.h"

namespace linn {

// Who speaks for whom, by item of the history.
struct Votes {
  std::vector<std::uint64_t> starts;  // of each item's votes, and the end
  std::vector<ItemId> targets;        // those that have the item among their neighbours, in order
  std::vector<float> weights;
};

struct ItemKnnOptions : RankingOptions, HistoryOptions {
  std::size_t neighbours = 100;
  double shrinkage = 10.0;
};

class ItemKnnModel : public RankingModel {
 public:
  ItemKnnModel(Votes votes, std::vector<float> likes, const HistoryWindow& window);

  void score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each, std::span<float> scores,
             ThreadPool& threads) const override;
  void score_all(const Query& query, std::span<float> scores, ThreadPool& threads) const override;
  std::size_t items() const override { return likes_.size(); }
  void add_values(SafetensorsWriter& out, const std::string& prefix) const override;

 private:
  void score_into(const Query& query, std::vector<Event>& window, std::span<float> scores) const;

  Votes votes_;
  std::vector<float> likes_;
  std::vector<float> start_;  // where each score starts: so little that it only orders what no neighbour speaks for
  HistoryWindow window_;
};

std::unique_ptr<const RecommenderKind> item_knn_kind();

}  // namespace linn
