#include "app/evaluate/metrics_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace linn::app {

std::vector<RankingMeasure> ranking_measures(const std::vector<std::size_t>& cutoffs) {
  std::vector<RankingMeasure> measures;
  const auto ndcg = [&](std::size_t k) {
    measures.push_back({fmt::format("ndcg@{}", k), [k](const Ranking& ranking) { return ndcg_at(ranking, k); }});
  };
  const auto hit = [&](std::size_t k) {
    measures.push_back({fmt::format("hit@{}", k), [k](const Ranking& ranking) { return hit_at(ranking, k); }});
  };
  ndcg(10);
  hit(1);  // and nDCG@1 is the same
  hit(10);
  for (const std::size_t k : std::set(cutoffs.begin(), cutoffs.end())) {
    if (k == 1 || k == 10) continue;
    ndcg(k);
    hit(k);
  }
  measures.push_back({"mrr", reciprocal_rank});
  measures.push_back({"auc", auc});
  return measures;
}

std::vector<double> values_of(const RankingMeasure& measure, const std::vector<Ranking>& rankings) {
  std::vector<double> values(rankings.size());
  std::ranges::transform(rankings, values.begin(), measure.value);
  return values;
}

Json candidates_to_json(std::size_t candidates) { return candidates == 0 ? Json("all") : Json(candidates); }

Json to_json(const EquationMetrics& metrics) {
  const auto measured = [&](double value) { return metrics.count == 0 ? Json(nullptr) : Json(value); };
  return {{"accuracy", measured(metrics.accuracy)},
          {"rmse", measured(metrics.rmse)},
          {"log_loss", measured(metrics.log_loss)},
          {"calibration_error", measured(metrics.calibration_error)},
          {"count", metrics.count}};
}

Json to_json(const HeldOutRankings& held_out) {
  Json object;
  Json errors;
  for (const RankingMeasure& measure : ranking_measures(held_out.cutoffs)) {
    const MeanAndError mean = mean_and_error(values_of(measure, held_out.rankings));
    object[measure.name] = held_out.rankings.empty() ? Json(nullptr) : Json(mean.mean);
    errors[measure.name] = held_out.rankings.empty() ? Json(nullptr) : Json(mean.error);
  }
  object["count"] = held_out.rankings.size();
  object["candidates"] = candidates_to_json(held_out.candidates);
  object["standard_error"] = errors;
  return object;
}

std::string to_text(const EquationMetrics& metrics) {
  if (metrics.count == 0) return {};
  return fmt::format("accuracy {:.4f}  rmse {:.4f}  log loss {:.4f}  calibration error {:.4f}  ({} equations)",
                     metrics.accuracy, metrics.rmse, metrics.log_loss, metrics.calibration_error, metrics.count);
}

std::string to_text(const HeldOutRankings& held_out) {
  if (held_out.rankings.empty()) return {};
  std::string text;
  for (const RankingMeasure& measure : ranking_measures(held_out.cutoffs)) {
    const MeanAndError mean = mean_and_error(values_of(measure, held_out.rankings));
    text += fmt::format("{} {:.4f} ± {:.4f}  ", measure.name, mean.mean, mean.error);
  }
  return text + fmt::format("({} held-out items)", held_out.rankings.size());
}

}  // namespace linn::app
