// Items that many like are recommended to everybody.
#pragma once

#include <memory>
#include <vector>

#include "linn/recommend/protocol/ranking_model.h"
#include "linn/recommend/protocol/recommender_kind.h"

namespace linn {

// How many users like each item, by the training rows.
std::vector<float> like_counts(const Histories& histories);

class PopularityModel : public RankingModel {
 public:
  explicit PopularityModel(std::vector<float> likes) : likes_(std::move(likes)) {}

  void score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each, std::span<float> scores,
             ThreadPool& threads) const override;
  std::size_t items() const override { return likes_.size(); }
  void add_values(SafetensorsWriter& out, const std::string& prefix) const override;

 private:
  std::vector<float> likes_;
};

std::unique_ptr<const RecommenderKind> popularity_kind();

}  // namespace linn
