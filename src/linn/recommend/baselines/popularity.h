// Items that many like are recommended to everybody.
#pragma once

#include <memory>
#include <vector>

#include "linn/recommend/protocol/model_header.h"
#include "linn/recommend/protocol/ranking_model.h"

namespace linn {

// How many users like each item, by the training rows.
std::vector<float> like_counts(const Histories& histories);

class PopularityModel : public RankingModel {
 public:
  explicit PopularityModel(std::vector<float> likes, RecommendOptions options = {})
      : likes_(std::move(likes)), options_(options) {}

  void score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each, std::span<float> scores,
             ThreadPool& threads) const override;
  std::size_t items() const override { return likes_.size(); }
  void save(const std::filesystem::path& path, const Catalogue& catalogue, const ModelNotes& notes) const override;

 private:
  std::vector<float> likes_;
  RecommendOptions options_;
};

std::unique_ptr<RankingModel> fit_popularity(const RecommendOptions& options, const Histories& histories,
                                             ThreadPool& threads);
std::unique_ptr<RankingModel> load_popularity(const SafetensorsFile& in, const RecommenderHeader& header);

}  // namespace linn
