#include "app/cli/evaluate_recommend.h"

#include <fmt/format.h>

#include <optional>

#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/recommend/reasons/explanation_quality.h"

namespace linn::app {
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

ExplanationQuality explanation_quality(const RankingQuestion& question, const RecommendRun& run,
                                       const FittedData& fitted, const Histories& histories,
                                       const Candidates& candidates, ThreadPool& threads) {
  const std::string folder = question.data.empty() ? run.config.data : question.data;
  const std::optional<KnownCauses> causes = KnownCauses::read(folder, fitted.data);
  return measure_explanations(*run.loaded.model, histories, candidates.examples(), fitted.known_users,
                              causes ? &*causes : nullptr, threads);
}

Json reasons_to_json(const ExplanationQuality& quality) {
  Json object = {{"count", quality.count},
                 {"drop_without_first_reason", quality.first_drop},
                 {"drop_without_random_event", quality.random_drop},
                 {"drop_without_greatest_weight", quality.weight_drop},
                 {"caused", quality.caused}};
  if (quality.caused > 0) {
    object["first_reason_hits"] = quality.first_hits;
    object["greatest_weight_hits"] = quality.weight_hits;
    object["cooccurrence_hits"] = quality.cooccurrence_hits;
    object["chance_hits"] = quality.chance_hits;
  }
  return object;
}

std::string reasons_to_text(const ExplanationQuality& quality) {
  std::string text = fmt::format(
      "reasons of {} likes: the score falls by {:.4f} without the first reason, by {:.4f} without a random event",
      quality.count, quality.first_drop, quality.random_drop);
  if (quality.caused > 0) {
    text += fmt::format(
        "\nof {} likes that a rule caused, a part of it is the first reason in {:.1f}%, the event of greatest weight "
        "in "
        "{:.1f}%; counting users who share both finds one in {:.1f}%, chance in {:.1f}%",
        quality.caused, 100 * quality.first_hits, 100 * quality.weight_hits, 100 * quality.cooccurrence_hits,
        100 * quality.chance_hits);
  }
  return text;
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
  std::optional<ExplanationQuality> reasons;
  if (options.explanations) reasons = explanation_quality(question, run, fitted, histories, candidates, threads);
  if (program.json) {
    Json object = to_json(rankings, ks, question.candidates);
    object["left_out"] = fitted.left_out;
    if (reasons) object["explanations"] = reasons_to_json(*reasons);
    print_json(object);
  } else {
    fmt::print("{}\n", to_text(rankings, ks));
    if (reasons) fmt::print("{}\n", reasons_to_text(*reasons));
  }
}

}  // namespace linn::app
