// linn evaluate: the metrics of a trained run.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "app/cli/evaluation_options.h"
#include "app/cli/program.h"
#include "app/evaluate/evaluate_run.h"
#include "linn/base/error.h"

namespace linn::app {
namespace {

struct Evaluate {
  EvaluateOptions options;
  std::size_t threads = 0;
  DeviceOptions device;
};

Json explanations_to_json(const ExplanationQuality& quality) {
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

std::string explanations_to_text(const ExplanationQuality& quality) {
  std::string text = fmt::format(
      "explanations of {} likes: the score falls by {:.4f} without the first reason, by {:.4f} without a random event",
      quality.count, quality.first_drop, quality.random_drop);
  if (quality.caused > 0) {
    text += fmt::format(
        "\n{} of these likes were caused by a rule; an item of the rule is the first reason in {:.1f}%, and the event "
        "with the greatest weight in {:.1f}%; co-occurrence counts find one in {:.1f}%, chance in {:.1f}%",
        quality.caused, 100 * quality.first_hits, 100 * quality.weight_hits, 100 * quality.cooccurrence_hits,
        100 * quality.chance_hits);
  }
  return text;
}

void print_evaluation(const EquationMetrics& metrics, const Program& program) {
  if (program.json) {
    print_json(to_json(metrics));
  } else {
    fmt::print("{}\n", to_text(metrics));
  }
}

void print_evaluation(const RankingEvaluation& evaluation, const Program& program) {
  remark_left_out(evaluation.left_out, evaluation.unknown_items, program);
  remark_skipped_items(evaluation.skipped_items, program);
  if (program.json) {
    Json object = to_json(evaluation.held_out);
    object["left_out"] = evaluation.left_out;
    if (evaluation.explanations) object["explanations"] = explanations_to_json(*evaluation.explanations);
    print_json(object);
  } else {
    fmt::print("{}\n", to_text(evaluation.held_out));
    if (evaluation.explanations) fmt::print("{}\n", explanations_to_text(*evaluation.explanations));
  }
}

void run(const Evaluate& evaluate, bool for_recommenders, const Program& program) {
  if (for_recommenders && TrainedRun(evaluate.options.run).config.task != kRecommendTask) {
    throw InputError("this run is about equations; it has no candidates and no users",
                     Place{evaluate.options.run, 0, 0});
  }
  ThreadPool threads(evaluate.threads);
  const std::unique_ptr<TrainingDevice> device = evaluate.device.open();
  std::visit([&](const auto& evaluation) { print_evaluation(evaluation, program); },
             evaluate_run(evaluate.options, threads, program.processes, device.get()));
}

}  // namespace

void add_evaluate_command(CLI::App& app, Program& program) {
  CLI::App* command = app.add_subcommand("evaluate", "Print the metrics of a trained run");
  auto evaluate = std::make_shared<Evaluate>();
  EvaluateOptions& options = evaluate->options;
  add_run_argument(*command, options.run);
  add_threads_option(*command, evaluate->threads);
  add_device_option(*command, evaluate->device);
  add_json_option(*command, program);
  add_data_options(*command, options.selection, true);
  std::vector<CLI::Option*> for_recommenders = add_ranking_options(*command, options.protocol);
  std::ranges::copy(add_item_file_options(*command, options.items), std::back_inserter(for_recommenders));
  for_recommenders.push_back(add_unknown_option(
      *command, options.items.unknown, "Recommenders: how to treat items of --only that the model does not know"));
  for_recommenders.push_back(
      command->add_option("--per-user", options.per_user, "Recommenders: write a table with the result of each user")
          ->type_name("FILE"));
  for_recommenders.push_back(command
                                 ->add_option("--write-candidates", options.write_candidates,
                                              "Recommenders: write a table of the candidates of each held-out item")
                                 ->type_name("FILE"));
  for_recommenders.push_back(command->add_flag("--explanations", options.explanations,
                                               "Recommenders: also measure the quality of explanations"));
  add_quiet_option(*command, program);
  run_shared_if_chosen(*command, program, [evaluate, for_recommenders, &program] {
    run(*evaluate, std::ranges::any_of(for_recommenders, [](const auto* option) { return option->count() > 0; }),
        program);
  });
}

}  // namespace linn::app
