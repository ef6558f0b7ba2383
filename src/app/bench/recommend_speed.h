// How fast a trained LINN ranks a whole catalogue for one request, relative to the peak of this machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "linn/recommend/linn/linn_recommender_options.h"

namespace linn::app {

// A request is answered as in `linn recommend`: history, all items, scores. The catalogue has 63,001 items (like the
// paper's larger data set), the authors' network has width 64, and the history has ten events, some of them dislikes.
struct RecommendSpeedCase {
  RecommendForm form = RecommendForm::kDnf;
  bool kept_projections = false;  // R t of all items is computed before the request
  std::size_t threads = 1;

  std::string name() const;
};

struct RecommendSpeedResult {
  double gflop = 0.0;    // operations per request in billions, without what is computed before it
  double seconds = 0.0;  // per request, the median
};

RecommendSpeedResult measure_recommend(const RecommendSpeedCase& speed_case, double seconds, std::uint64_t seed);

std::vector<RecommendSpeedCase> recommend_speed_cases(std::size_t threads);

}  // namespace linn::app
