// A trained recommender, and how its held-out likes are ranked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/evaluate/trained_run.h"
#include "linn/recommend/protocol/candidates.h"
#include "linn/recommend/protocol/evaluate_ranking.h"
#include "linn/recommend/protocol/trained_recommender.h"

namespace linn::app {

struct RankingProtocol {
  std::size_t candidates = 100;       // items that a held-out one is ranked among; 0: all
  std::optional<std::uint64_t> seed;  // of the candidates; none: that of the run
  std::vector<std::size_t> cutoffs;   // K of nDCG@K and Hit@K, beside 1 and 10
};

struct RecommenderRun : TrainedRun {
  // Throws InputError if the folder has no recommender.
  explicit RecommenderRun(const std::string& folder);

  // Users and items numbered as in the model. An empty path means the data the run was trained on.
  FittedData read_data(const std::string& data_path = {}) const;
  // Held-out likes of items that are not to be chosen are left out. Throws InputError if no like of the split is left.
  Candidates candidates(const Histories& histories, Split split, const RankingProtocol& protocol,
                        const ItemChoice& choice = {}) const;

  TrainedRecommender trained;
};

}  // namespace linn::app
