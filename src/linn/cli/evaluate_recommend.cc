#include "linn/cli/evaluate_recommend.h"

#include <fmt/format.h>

#include "linn/base/error.h"
#include "linn/base/file.h"

namespace linn::cli {
namespace {

void write_per_user(const std::string& path, const Histories& histories, const Candidates& candidates,
                    std::span<const Ranking> rankings, const InteractionData& data,
                    const std::vector<std::size_t>& ks) {
  const auto measures = ranking_measures(ks);
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

}  // namespace

void evaluate_recommend(const EvaluateRecommend& options, const Program& program) {
  const RankingQuestion& question = options.question;
  if (!options.write_candidates.empty() && question.candidates == 0) {
    throw InputError("--write-candidates is for a number of candidates, not for all items");
  }
  const RecommendRun run(options.run);
  const FittedData fitted = read_for_run(question, run, program.quiet);
  const Histories histories(fitted.data);
  const Candidates candidates = candidates_for(question, run, histories);
  ThreadPool threads(options.threads);
  const auto rankings = rank_held_out(*run.loaded.model, histories, candidates, fitted.known_users, threads);
  const std::vector<std::size_t> ks = ranks_to_cut_at(question);
  if (!options.per_user.empty()) write_per_user(options.per_user, histories, candidates, rankings, fitted.data, ks);
  if (!options.write_candidates.empty()) {
    write_candidates(options.write_candidates, candidates, {fitted.data.users, fitted.data.items, {}});
  }
  if (program.json) {
    Json object = to_json(rankings, ks, question.candidates);
    object["left_out"] = fitted.left_out;
    print_json(object);
  } else {
    fmt::print("{}\n", to_text(rankings, ks));
  }
}

}  // namespace linn::cli
