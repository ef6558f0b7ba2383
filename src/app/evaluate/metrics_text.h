// Metrics as people read them, and as JSON.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "linn/base/json.h"
#include "linn/metrics/equation_metrics.h"
#include "linn/metrics/ranking_metrics.h"

namespace linn::app {

// The ranks of held-out likes, and what they were ranked among.
struct HeldOutRankings {
  std::vector<Ranking> rankings;
  std::size_t candidates = 100;           // 0: all items
  std::vector<std::size_t> cutoffs = {};  // K of nDCG@K and Hit@K, beside 1 and 10
};

// A metric of a single ranking, and its name.
struct RankingMeasure {
  std::string name;
  std::function<double(const Ranking&)> value;
};
// ndcg@10, hit@1, hit@10, those of other cutoffs in ascending order, mrr, auc.
std::vector<RankingMeasure> ranking_measures(const std::vector<std::size_t>& cutoffs);
std::vector<double> values_of(const RankingMeasure& measure, const std::vector<Ranking>& rankings);

Json candidates_to_json(std::size_t candidates);

// Metrics are null if nothing was measured.
Json to_json(const EquationMetrics& metrics);
// The measures by name, `count`, `candidates` and, by name again, `standard_error`.
Json to_json(const HeldOutRankings& held_out);

// Empty if nothing was measured.
std::string to_text(const EquationMetrics& metrics);
std::string to_text(const HeldOutRankings& held_out);

}  // namespace linn::app
