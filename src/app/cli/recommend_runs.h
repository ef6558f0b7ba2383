// What commands about recommenders share: reading runs, asking them, and saying how good they are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/program.h"
#include "linn/base/thread_pool.h"
#include "linn/recommend/protocol/candidates.h"
#include "linn/recommend/protocol/evaluate_ranking.h"
#include "linn/model/run_config.h"
#include "linn/recommend/protocol/trained_recommender.h"

namespace linn::app {

// How held-out items are asked for on the command line.
struct RankingQuestion {
  std::string data;  // empty: what the run was trained on
  Split split = Split::kTest;
  std::size_t candidates = 100;       // 0: all
  std::optional<std::uint64_t> seed;  // of the candidates; none: that of the run
  std::vector<std::size_t> at;        // other ranks than 1 and 10 to cut at
};

// --candidates, --candidate-seed and --at; returns them, so that it can be seen whether they were given.
std::vector<CLI::Option*> add_candidate_options(CLI::App& command, RankingQuestion& question);
// --split for likes.
void add_split_option(CLI::App& command, Split& split);

// A trained run of a recommender with its configuration. Throws InputError where it is another kind of run.
struct RecommendRun {
  explicit RecommendRun(const std::string& folder);

  std::string path;
  RunConfig config;
  TrainedRecommender loaded;
};

// The data of a question in the numbers of the run's model. Says on standard error what the model does not know.
FittedData read_for_run(const RankingQuestion& question, const RecommendRun& run, bool quiet);

Candidates candidates_for(const RankingQuestion& question, const RecommendRun& run, const Histories& histories);

// 1, 10 and those asked for, in order.
std::vector<std::size_t> ranks_to_cut_at(const RankingQuestion& question);

// A measure of a single ranking and the name that people and JSON have for it.
struct RankingMeasure {
  std::string name;
  std::function<double(const Ranking&)> value;
};
// ndcg@10, hit@1, hit@10, those of other ranks, mrr, auc.
std::vector<RankingMeasure> ranking_measures(const std::vector<std::size_t>& ks);

// All measures by name, `count`, `candidates` and, by name, `standard_error`; null where nothing was measured.
Json to_json(std::span<const Ranking> rankings, const std::vector<std::size_t>& ks, std::size_t candidates);
std::string to_text(std::span<const Ranking> rankings, const std::vector<std::size_t>& ks);

}  // namespace linn::app
