#include "app/cli/recommend_runs.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/runs.h"
#include "linn/base/error.h"
#include "linn/base/split.h"
#include "linn/recommend/recommender_registry.h"

namespace linn::app {
namespace {

std::size_t parse_candidates(const std::string& text) {
  if (text == "all") return 0;
  return options_detail::parse_integer("--candidates", text, 1, 1'000'000);
}

std::vector<std::size_t> parse_ranks(const std::string& text) {
  std::vector<std::size_t> ranks;
  for (const std::string_view rank : split(text, ',')) {
    ranks.push_back(options_detail::parse_integer("--at", std::string(rank), 1, 1'000'000'000));
  }
  return ranks;
}

}  // namespace

std::vector<CLI::Option*> add_candidate_options(CLI::App& command, RankingQuestion& question) {
  const CLI::callback_t set_count = [&question](const CLI::results_t& given) {
    question.candidates = parse_candidates(given.front());
    return true;
  };
  const CLI::callback_t set_ranks = [&question](const CLI::results_t& given) {
    question.at = parse_ranks(given.front());
    return true;
  };
  return {
      command.add_option("--candidates", set_count, "Recommenders: items that a held-out one is ranked among")
          ->type_name("N|all")
          ->default_str("100"),
      command
          .add_option("--candidate-seed", question.seed, "Recommenders: seed of these items; the run's if not given")
          ->type_name("N")
          ->check(whole_number(0)),
      command.add_option("--at", set_ranks, "Recommenders: ranks to cut at, beside 1 and 10")->type_name("K,...")};
}

void add_split_option(CLI::App& command, Split& split) {
  add_choice<Split>(command, "--split", split,
                    {{"test", Split::kTest}, {"validation", Split::kValidation}, {"train", Split::kTrain}},
                    "Which part of the data");
}

RecommendRun::RecommendRun(const std::string& folder) : path(folder) {
  const RunFolder run = RunFolder::open(folder);
  config = read_config(run);
  require_task(config, "recommend", run);
  loaded = load_recommender(SafetensorsFile::read(trained_model(run)), recommender_registry());
}

FittedData read_for_run(const RankingQuestion& question, const RecommendRun& run, bool quiet) {
  const std::string path = question.data.empty() ? run.config.data : question.data;
  FittedData fitted = fit_to_catalogue(read_interaction_folder(path), run.loaded.catalogue);
  if (fitted.left_out > 0 && !quiet) {
    fmt::print(stderr, "linn: {} rows about {} items that the model does not know are left out\n", fitted.left_out,
               fitted.unknown_items);
  }
  return fitted;
}

Candidates candidates_for(const RankingQuestion& question, const RecommendRun& run, const Histories& histories) {
  Candidates candidates(histories, question.split,
                        {question.candidates, question.seed.value_or(run.loaded.kind->ranking(*run.loaded.settings).candidate_seed)});
  if (candidates.size() == 0) throw InputError("this split has no likes with a history");
  return candidates;
}

std::vector<std::size_t> ranks_to_cut_at(const RankingQuestion& question) {
  std::vector<std::size_t> ks = question.at;
  ks.insert(ks.end(), {1, 10});
  std::sort(ks.begin(), ks.end());
  ks.erase(std::unique(ks.begin(), ks.end()), ks.end());
  return ks;
}

std::vector<RankingMeasure> ranking_measures(const std::vector<std::size_t>& ks) {
  std::vector<RankingMeasure> measures;
  const auto ndcg = [&](std::size_t k) {
    measures.push_back({fmt::format("ndcg@{}", k), [k](const Ranking& one) { return ndcg_at(one, k); }});
  };
  const auto hit = [&](std::size_t k) {
    measures.push_back({fmt::format("hit@{}", k), [k](const Ranking& one) { return hit_at(one, k); }});
  };
  ndcg(10);
  hit(1);
  hit(10);
  for (const std::size_t k : ks) {
    if (k == 1 || k == 10) continue;  // and nDCG@1 is Hit@1
    ndcg(k);
    hit(k);
  }
  measures.push_back({"mrr", reciprocal_rank});
  measures.push_back({"auc", auc});
  return measures;
}

Json to_json(std::span<const Ranking> rankings, const std::vector<std::size_t>& ks, std::size_t candidates) {
  Json object;
  Json errors;
  std::vector<double> values(rankings.size());
  for (const RankingMeasure& measure : ranking_measures(ks)) {
    std::transform(rankings.begin(), rankings.end(), values.begin(), measure.value);
    const MeanAndError mean = mean_and_error(values);
    object[measure.name] = rankings.empty() ? Json(nullptr) : Json(mean.mean);
    errors[measure.name] = rankings.empty() ? Json(nullptr) : Json(mean.error);
  }
  object["count"] = rankings.size();
  object["candidates"] = candidates == 0 ? Json("all") : Json(candidates);
  object["standard_error"] = errors;
  return object;
}

std::string to_text(std::span<const Ranking> rankings, const std::vector<std::size_t>& ks) {
  std::string text;
  std::vector<double> values(rankings.size());
  for (const RankingMeasure& measure : ranking_measures(ks)) {
    std::transform(rankings.begin(), rankings.end(), values.begin(), measure.value);
    const MeanAndError mean = mean_and_error(values);
    text += fmt::format("{} {:.4f} ± {:.4f}  ", measure.name, mean.mean, mean.error);
  }
  return text + fmt::format("({} held-out items)", rankings.size());
}

}  // namespace linn::app
