// How good a trained run is on data: what `linn evaluate` prints and `linn report` shows.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>

#include "app/evaluate/data_selection.h"
#include "app/evaluate/item_files.h"
#include "app/evaluate/metrics_text.h"
#include "app/evaluate/recommender_run.h"
#include "linn/base/process_group.h"
#include "linn/base/thread_pool.h"
#include "linn/recommend/reasons/explanation_quality.h"
#include "linn/train/training_device.h"

namespace linn::app {

struct EvaluateOptions {
  std::string run;
  DataSelection selection;
  // The rest is for recommenders only.
  RankingProtocol protocol;
  ItemFiles items;               // held-out likes of other items are left out
  std::string per_user;          // write a table of each user's result to this file
  std::string write_candidates;  // write the candidates to this file
  bool explanations = false;     // also measure the quality of explanations
};

struct RankingEvaluation {
  HeldOutRankings held_out;
  std::size_t left_out = 0;       // rows about items that the model does not know
  std::size_t unknown_items = 0;  // in these rows
  std::size_t skipped_items = 0;  // lines of the files of items with items that the model does not know
  std::optional<ExplanationQuality> explanations;
};

using RunEvaluation = std::variant<EquationMetrics, RankingEvaluation>;

// Throws InputError if the run cannot be evaluated, for example because the split is empty.
// Several processes share the work of a recommender, and the first one alone writes files; null: this one is alone.
RunEvaluation evaluate_run(const EvaluateOptions& options, ThreadPool& threads, ProcessGroup* processes = nullptr,
                           TrainingDevice* device = nullptr);

}  // namespace linn::app
