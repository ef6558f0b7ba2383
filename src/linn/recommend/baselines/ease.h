// Embarrassingly shallow autoencoders (Steck, 2019): every item's likes predicted from the likes of all others, by a
// linear model in closed form.
//
// With X the users' likes (training rows), P = (X^T X + ridge I)^-1, the weights are B_ij = -P_ij / P_jj and B_jj = 0,
// and the score of item j is the sum of B_hj over the liked items h of the history.
#pragma once

#include <memory>
#include <vector>

#include "linn/recommend/protocol/ranking_model.h"
#include "linn/recommend/protocol/recommender_kind.h"

namespace linn {

// The weights of larger catalogues fill more memory than most machines have.
inline constexpr std::size_t kLargestEaseCatalogue = 20'000;

struct EaseOptions : RankingOptions {
  std::size_t history = 0;  // events at most; 0: all
  double ridge = 500.0;
};

class EaseModel : public RankingModel {
 public:
  // `weights` has a row for each item of a history and a column for each that is scored.
  EaseModel(std::vector<float> weights, std::vector<float> likes, std::size_t history);

  void score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each, std::span<float> scores,
             ThreadPool& threads) const override;
  std::size_t items() const override { return likes_.size(); }
  void add_values(SafetensorsWriter& out, const std::string& prefix) const override;

 private:
  std::vector<float> weights_;
  std::vector<float> likes_;
  HistoryWindow window_;
};

// Fitting throws InputError for more than kLargestEaseCatalogue items, saying how much memory they would take.
std::unique_ptr<const RecommenderKind> ease_kind();

}  // namespace linn
