// linn tune: searches settings and prints the trials as a table.
#include <fmt/format.h>

#include <memory>

#include "app/cli/model_options.h"
#include "app/cli/program.h"
#include "app/cli/stop_signals.h"
#include "app/process/command_line.h"
#include "app/tune/search.h"
#include "linn/model/run_config.h"

namespace linn::app {
namespace {

Json trial_to_json(const Trial& trial) {
  return {{"trial", trial.name},
          {"settings", trial.settings},
          {"epochs", trial.epochs},
          {"score", trial.validation ? Json(trial.score) : Json(nullptr)},
          {"validation", or_null(trial.validation)}};
}

void print_table(const SearchRequest& request, const SearchResult& result) {
  fmt::print("{:<10} {:>6} {:>10}  settings\n", "trial", "epochs",
             request.task == kEquationTask ? "accuracy" : "ndcg@10");
  for (const Trial& trial : result.trials) {
    std::string score = trial.failure.empty() ? "-" : "failed";
    if (trial.validation) score = fmt::format("{:.4f}", trial.score);
    fmt::print("{:<10} {:>6} {:>10}  {}\n", trial.name, trial.epochs, score, fmt::join(trial.settings, " "));
  }
  const Trial& best = result.trials.front();
  if (result.finished && best.failure.empty()) {
    std::vector<std::string> words = train_command(request, best);
    words.insert(words.end(), {"--out", "RUN"});
    fmt::print("\nbest on validation: {}\n", command_line(words));
  }
}

void run(const SearchRequest& given, Program& program) {
  SearchRequest request = given;
  request.seed = program.seed;
  request.kind().check_device(open_device(request.device).get());
  if (request.parallel == 0) request.parallel = cores();
  const bool by_epochs = request.kind().trains_by_epochs();
  const auto report = [&](const TrialEnd& end) {
    if (program.quiet) return;
    fmt::print(stderr, "{:>4} of {} trials{}: {} {:.4f}\n", end.ended, end.total,
               by_epochs ? fmt::format(" at {} epochs", end.trial.epochs) : "", end.trial.name, end.trial.score);
  };
  hear_stop_signals();
  const SearchResult result = run_search(request, asked_to_stop, report);
  if (!result.finished) program.status = 1;
  if (!program.json) {
    print_table(request, result);
    return;
  }
  Json trials = Json::array();
  for (const Trial& trial : result.trials) trials.push_back(trial_to_json(trial));
  print_json({{"trials", trials}, {"finished", result.finished}});
}

void add_tune_task(CLI::App& tune, std::string_view task, const std::string& description, Program& program) {
  CLI::App* command = tune.add_subcommand(std::string(task), description);
  auto request = std::make_shared<SearchRequest>();
  request->task = task;
  request->parallel = 0;
  command->add_option("--data", request->data, "The data, as for linn train")->type_name("DIR")->required();
  command->add_option("--out", request->out, "The folder of the search; each trial is a run in it")
      ->type_name("DIR")
      ->required();
  add_model_options(*command, *request);
  command->add_option("--search", request->ranges, "A setting to search, and its range; may be repeated")
      ->type_name("KEY=A..B|KEY=A..B:log|KEY=A,B,...")
      ->allow_extra_args(false);
  add_whole_number(*command, "--trials", request->trials, "Number of settings to try", 1, 100'000);
  command->add_option("--epochs", request->epochs, "Epochs of the trials in the last round; the others train for fewer")
      ->type_name("N")
      ->default_str(fmt::format("{}", kDefaultSearchEpochs))
      ->check(whole_number(1, 1'000'000));
  add_parallel_option(*command, "Trials", request->parallel);
  command->add_option("--device", request->device, "Where the trials are computed: cpu, cuda or cuda:N")
      ->type_name("cpu|cuda|cuda:N")
      ->capture_default_str();
  command->add_flag("--resume", request->resume, "Continue a search that was stopped");
  add_seed_option(*command, program);
  add_quiet_option(*command, program);
  add_json_option(*command, program);
  std::string defaults;
  for (const ModelKind* kind : model_kinds(task)) {
    const std::vector<std::string> ranges = kind->search_ranges(Preset::kPaper);
    if (!ranges.empty()) defaults += fmt::format("\n  {:<10} {}", kind->name(), fmt::join(ranges, " "));
  }
  command->footer(
      "All trials train for a few epochs; the best third trains three times as long, and so on (successive halving).\n"
      "The same --trials and --epochs mean the same effort for every model. Without --search, these settings are\n"
      "searched:" +
      defaults);
  run_if_chosen(*command, program, [request, &program] { run(*request, program); });
}

}  // namespace

void add_tune_command(CLI::App& app, Program& program) {
  CLI::App* tune = app.add_subcommand("tune", "Search for good settings on validation data");
  tune->require_subcommand(1);
  add_tune_task(*tune, kEquationTask, "Tune a model for equations", program);
  add_tune_task(*tune, kRecommendTask, "Tune a recommender", program);
}

}  // namespace linn::app
