// The recommendation side of linn evaluate.
#pragma once

#include <string>

#include "app/cli/program.h"
#include "app/cli/recommend_runs.h"

namespace linn::app {

struct EvaluateRecommend {
  std::string run;
  RankingQuestion question;
  std::string per_user;          // a file for the result of each user
  std::string write_candidates;  // a file for the candidates
  bool explanations = false;     // measure reasons too
  std::size_t threads = 0;
};

void evaluate_recommend(const EvaluateRecommend& options, const Program& program);

}  // namespace linn::app
