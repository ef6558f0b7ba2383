#include "app/evaluate/evaluate_run.h"

#include <fmt/format.h>

#include "linn/base/error.h"
#include "linn/base/file.h"

namespace linn::app {
namespace {

void write_per_user(const std::string& path, const Histories& histories, const Candidates& candidates,
                    std::span<const Ranking> rankings, const InteractionData& data,
                    const std::vector<std::size_t>& cutoffs) {
  const auto measures = ranking_measures(cutoffs);
  FileWriter out(path);
  std::string header = "user\titem\trank\tothers";
  for (const RankingMeasure& measure : measures) header.append("\t").append(measure.name);
  out.write(header + "\n");
  for (std::size_t i = 0; i < rankings.size(); ++i) {
    const Example& example = candidates.example(i);
    std::string line = fmt::format("{}\t{}\t{}\t{}", data.users.name(example.user),
                                   data.items.name(histories.item(example)), rankings[i].rank, rankings[i].others);
    for (const RankingMeasure& measure : measures) line += fmt::format("\t{}", measure.value(rankings[i]));
    out.write(line + "\n");
  }
  out.commit();
}

ExplanationQuality explanation_quality(const RankingQuestion& question, const RecommendRun& run,
                                       const FittedData& fitted, const Histories& histories,
                                       const Candidates& candidates, ThreadPool& threads) {
  const std::string folder = question.data.empty() ? run.config.data : question.data;
  const std::optional<KnownCauses> causes = KnownCauses::read(folder, fitted.data);
  return measure_explanations(*run.loaded.model, histories, candidates.examples(), fitted.known_users,
                              causes ? &*causes : nullptr, threads);
}

RankingEvaluation evaluate_ranking(const EvaluateOptions& options, ThreadPool& threads) {
  RankingQuestion question = options.ranking;
  question.data = options.data;
  question.split = options.split;
  if (!options.write_candidates.empty() && question.candidates == 0) {
    throw InputError("--write-candidates needs a number of candidates, not all items");
  }
  const RecommendRun run(options.run);
  const FittedData fitted = read_for_run(question, run, options.quiet);
  const Histories histories(fitted.data);
  const Candidates candidates = candidates_for(question, run, histories);
  RankingEvaluation result;
  result.rankings = rank_held_out(*run.loaded.model, histories, candidates, fitted.known_users, threads);
  result.cutoffs = ranks_to_cut_at(question);
  result.candidates = question.candidates;
  result.left_out = fitted.left_out;
  if (!options.per_user.empty()) {
    write_per_user(options.per_user, histories, candidates, result.rankings, fitted.data, result.cutoffs);
  }
  if (!options.write_candidates.empty()) {
    write_candidates(options.write_candidates, candidates, {fitted.data.users, fitted.data.items, {}});
  }
  if (options.explanations) {
    result.explanations = explanation_quality(question, run, fitted, histories, candidates, threads);
  }
  return result;
}

EquationMetrics evaluate_equations(const EvaluateOptions& options, ThreadPool& threads) {
  const auto model = options.load();
  EquationData data = options.read();
  const EquationList& equations = options.equations(data);
  if (equations.size() == 0) throw InputError("this split has no equations", Place{options.data_path(), 0, 0});
  return linn::evaluate_equations(*model, data.pool, equations, threads);
}

}  // namespace

RunEvaluation evaluate_run(const EvaluateOptions& options, ThreadPool& threads) {
  if (read_config(RunFolder::open(options.run)).task == kRecommendTask) return evaluate_ranking(options, threads);
  return evaluate_equations(options, threads);
}

}  // namespace linn::app
