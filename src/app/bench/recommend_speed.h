// How fast a trained LINN ranks a whole catalogue for one request, against what this machine can do at best.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "linn/recommend/linn/linn_recommender_options.h"

namespace linn::app {

// A request is answered as `linn recommend` does it: history, all items, scores. The catalogue has 63,001 items (as the
// paper's larger set), vectors of width 64 in the authors' network, and the history is ten events, some disliked.
struct RecommendSpeedCase {
  RecommendForm form = RecommendForm::kDnf;
  bool kept_projections = false;  // R t of all items was computed before the request
  std::size_t threads = 1;

  std::string name() const;
};

struct RecommendSpeedResult {
  double gflop = 0.0;    // that a request needs, in billions; what was computed before it does not count
  double seconds = 0.0;  // a request, the median
};

RecommendSpeedResult measure_recommend(const RecommendSpeedCase& speed_case, double seconds, std::uint64_t seed);

std::vector<RecommendSpeedCase> recommend_speed_cases(std::size_t threads);

}  // namespace linn::app
