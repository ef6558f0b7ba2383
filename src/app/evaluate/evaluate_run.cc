#include "app/evaluate/evaluate_run.h"

#include <fmt/format.h>

#include "app/evaluate/equation_run.h"
#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/equations/learn_equations.h"

namespace linn::app {
namespace {

void write_per_user(const std::string& path, const Histories& histories, const Candidates& candidates,
                    const HeldOutRankings& held_out, const InteractionData& data) {
  const auto measures = ranking_measures(held_out.cutoffs);
  FileWriter out(path);
  std::string header = "user\titem\trank\tothers";
  for (const RankingMeasure& measure : measures) header.append("\t").append(measure.name);
  out.write(header + "\n");
  for (std::size_t i = 0; i < held_out.rankings.size(); ++i) {
    const Example& example = candidates.example(i);
    const Ranking& ranking = held_out.rankings[i];
    std::string line = fmt::format("{}\t{}\t{}\t{}", data.users.name(example.user),
                                   data.items.name(histories.item(example)), ranking.rank, ranking.others);
    for (const RankingMeasure& measure : measures) line += fmt::format("\t{}", measure.value(ranking));
    out.write(line + "\n");
  }
  out.commit();
}

RankingEvaluation evaluate_recommender(const EvaluateOptions& options, ThreadPool& threads, ProcessGroup* processes,
                                       TrainingDevice* device) {
  if (!options.write_candidates.empty() && options.protocol.candidates == 0) {
    throw InputError("--write-candidates needs a number of candidates, not all items");
  }
  const RecommenderRun run(options.run);
  const ChosenItems items = read_item_files(options.items, run.trained.catalogue);
  RankingModel& model = *run.trained.model;
  model.use_device(device);
  model.prepare_for_queries(threads);
  const FittedData fitted = run.read_data(options.selection.data);
  const Histories histories(fitted.data);
  const Candidates candidates =
      run.candidates(histories, options.selection.split.value_or(Split::kTest), options.protocol, items.choice);
  RankingEvaluation result;
  result.held_out = {rank_held_out(model, histories, candidates, fitted.known_users, threads, processes),
                     options.protocol.candidates, options.protocol.cutoffs};
  result.left_out = fitted.left_out;
  result.unknown_items = fitted.unknown_items;
  result.skipped_items = items.skipped;
  const bool writes = processes == nullptr || processes->is_first();
  if (writes && !options.per_user.empty()) {
    write_per_user(options.per_user, histories, candidates, result.held_out, fitted.data);
  }
  if (writes && !options.write_candidates.empty()) {
    write_candidates(options.write_candidates, candidates, {fitted.data.users, fitted.data.items, {}});
  }
  if (options.explanations) {
    const std::string& folder = options.selection.data.empty() ? run.config.data : options.selection.data;
    const std::optional<KnownCauses> causes = KnownCauses::read(folder, fitted.data);
    result.explanations = measure_explanations(model, histories, candidates.examples(), fitted.known_users,
                                               causes ? &*causes : nullptr, threads);
  }
  return result;
}

EquationMetrics evaluate_equation_run(const TrainedRun& run, const DataSelection& selection, ThreadPool& threads,
                                      TrainingDevice* device) {
  const auto model = load_equation_run(run);
  model->use_device(device);
  SelectedEquations selected = read_equations(selection, run.config);
  if (selected.equations.size() == 0) throw InputError("this split has no equations", Place{selected.path, 0, 0});
  return evaluate_equations(*model, selected.pool, selected.equations, threads);
}

}  // namespace

RunEvaluation evaluate_run(const EvaluateOptions& options, ThreadPool& threads, ProcessGroup* processes,
                           TrainingDevice* device) {
  const TrainedRun run(options.run);
  if (run.config.task == kRecommendTask) return evaluate_recommender(options, threads, processes, device);
  return evaluate_equation_run(run, options.selection, threads, device);
}

}  // namespace linn::app
