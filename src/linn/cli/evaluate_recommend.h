// The recommendation side of linn evaluate.
#pragma once

#include <string>

#include "linn/cli/program.h"
#include "linn/cli/recommend_runs.h"

namespace linn::cli {

struct EvaluateRecommend {
  std::string run;
  RankingQuestion question;
  std::string per_user;          // a file for the result of each user
  std::string write_candidates;  // a file for the candidates
  bool explanations = false;     // measure reasons too
  std::size_t threads = 0;
};

void evaluate_recommend(const EvaluateRecommend& options, const Program& program);

}  // namespace linn::cli
