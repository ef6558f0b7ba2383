// How good a trained run is on data: what `linn evaluate` prints and `linn report` shows.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/cli/recommend_runs.h"
#include "app/cli/runs.h"
#include "linn/base/thread_pool.h"
#include "linn/metrics/equation_metrics.h"
#include "linn/recommend/reasons/explanation_quality.h"

namespace linn::app {

struct EvaluateOptions : AskData {
  RankingQuestion ranking;  // recommenders; `data` and `split` above apply to it
  // The rest is for recommenders only.
  std::string per_user;          // write a table of each user's result to this file
  std::string write_candidates;  // write the candidates to this file
  bool explanations = false;     // measure explanations, too
  bool quiet = false;            // say nothing about rows that are left out
};

struct RankingEvaluation {
  std::vector<Ranking> rankings;
  std::vector<std::size_t> cutoffs;
  std::size_t candidates = 0;  // 0: all items
  std::size_t left_out = 0;    // rows with items that the model does not know
  std::optional<ExplanationQuality> explanations;
};

using RunEvaluation = std::variant<EquationMetrics, RankingEvaluation>;

// Throws InputError if the run cannot be evaluated, for example because the split is empty.
RunEvaluation evaluate_run(const EvaluateOptions& options, ThreadPool& threads);

}  // namespace linn::app
