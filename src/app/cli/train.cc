// linn train: learning from data into a run folder.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "app/cli/program.h"
#include "app/cli/progress.h"
#include "app/cli/recommend_runs.h"
#include "app/cli/runs.h"
#include "app/cli/train_request.h"
#include "linn/base/context.h"
#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/equations/equation_registry.h"
#include "linn/equations/learn_equations.h"
#include "linn/recommend/learn_recommender.h"
#include "linn/recommend/recommender_registry.h"

namespace linn::app {
namespace {

struct Train {
  explicit Train(std::string_view task) : request(task) {}

  TrainRequest request;
  std::string data;
  RunPlace place;
  std::string snapshots;
  std::size_t threads = 0;
  bool configured = false;  // an option was given that a run's configuration holds too
};

// A training that is ready to go: what was given, or what a run that is resumed was started with.
struct Plan {
  RunConfig config;
  std::unique_ptr<Settings> settings;
  std::optional<RunConfig> resumed;
};

// The part of the plan that the data does not matter for. Where a run is resumed and nothing else was said, everything
// comes from there.
Plan begin(Train& train, std::uint64_t seed) {
  Plan plan;
  plan.resumed = run_to_resume(train.place, train.request.task);
  if (plan.resumed && train.data.empty()) train.data = plan.resumed->data;
  if (plan.resumed && !train.configured) train.request.model = plan.resumed->model;
  if (train.data.empty()) throw InputError("--data is required");
  const SnapshotEpochs checked(train.snapshots);  // before anything is replaced
  if (!train.snapshots.empty() && !train.request.kind().trains_by_epochs()) {
    throw InputError("--snapshots is for models that are trained by epochs");
  }
  plan.config = {train.request.task, train.request.model, absolute_name(train.data), seed, {}, train.snapshots};
  if (plan.resumed && !train.configured) {
    plan.config.seed = plan.resumed->seed;
    plan.config.snapshots = plan.resumed->snapshots;
  }
  return plan;
}

void finish(Plan& plan, const Train& train, const DataSize& size) {
  const ModelKind& kind = train.request.kind();
  if (plan.resumed && plan.resumed->model == kind.name()) {
    plan.resumed->options = kind.stored_settings(plan.resumed->options)->values();
  }
  if (!plan.resumed || train.configured) {
    plan.settings = train.request.resolve(size);
    plan.config.options = plan.settings->values();
    if (!plan.resumed) return;
    require_same(*plan.resumed, plan.config);
  }
  // A run is resumed with the settings it was started with; only how long it trains may change.
  plan.settings = kind.stored_settings(plan.resumed->options);
  for (const char* name : {"epochs", "patience"}) {
    const std::string& value = train.request.shortcuts.at(name);
    if (!value.empty()) plan.settings->set(name, value);
  }
  plan.config.data = plan.resumed->data;
  plan.config.options = plan.settings->values();
}

void add_report(Json& object, const TrainingReport& report) {
  object["epoch"] = report.best_epoch;
  object["epochs"] = report.epochs;
  object["seconds_per_epoch"] = report.seconds_per_epoch ? Json(*report.seconds_per_epoch) : Json(nullptr);
  object["interrupted"] = report.interrupted;
}

std::string report_text(const TrainingReport& report, bool by_epochs) {
  if (!by_epochs) {
    return report.seconds_per_epoch ? fmt::format("fitted in {:.3f} s", *report.seconds_per_epoch) : "fitted before";
  }
  return fmt::format("{}best epoch {} of {}{}", report.interrupted ? "interrupted; " : "", report.best_epoch,
                     report.epochs,
                     report.seconds_per_epoch ? fmt::format(", {:.3f} s per epoch", *report.seconds_per_epoch) : "");
}

void train_equations(Train train, Program& program) {
  Plan plan = begin(train, program.seed);
  EquationData data = read_equation_data(train.data, plan.config.seed);
  finish(plan, train, {data.train.size() + data.validation.size() + data.test.size(), 0});
  Context context(plan.config.seed, train.threads);
  const EquationKind& kind = equation_registry().require(plan.config.model);
  std::optional<ProgressLine> line;
  if (kind.trains_by_epochs()) watch(context, line.emplace(program.quiet));
  const LearnedEquations learned =
      learn_equations(kind, *plan.settings, plan.config, data, train.place, context);
  line.reset();
  if (learned.report.interrupted) program.status = 1;
  if (data.unsplit && !program.quiet) {
    fmt::print(stderr, "linn: {} equations are too few to split: all of them are used for training\n",
               data.train.size());
  }
  if (program.json) {
    Json object = to_json(learned.test);
    object["validation"] = to_json(learned.validation);
    add_report(object, learned.report);
    object["unsplit"] = data.unsplit;
    print_json(object);
    return;
  }
  fmt::print("{}\n", report_text(learned.report, kind.trains_by_epochs()));
  if (learned.validation.count > 0) fmt::print("validation  {}\n", to_text(learned.validation));
  if (learned.test.count > 0) fmt::print("test        {}\n", to_text(learned.test));
}

void train_recommender(Train train, Program& program) {
  Plan plan = begin(train, program.seed);
  const InteractionData data = read_interaction_folder(train.data);
  finish(plan, train, {data.train.size() + data.validation.size() + data.test.size(), data.users.size()});
  Context context(plan.config.seed, train.threads);
  const RecommenderKind& kind = recommender_registry().require(plan.config.model);
  std::optional<ProgressLine> line;
  if (kind.trains_by_epochs()) watch(context, line.emplace(program.quiet));
  const LearnedRecommender learned =
      learn_recommender(kind, *plan.settings, plan.config, data, train.place, context);
  line.reset();
  if (learned.report.interrupted) program.status = 1;
  const std::vector<std::size_t> ks = ranks_to_cut_at({});
  if (program.json) {
    Json object = to_json(learned.test, ks, kCandidates);
    object["validation"] = to_json(learned.validation, ks, kCandidates);
    add_report(object, learned.report);
    print_json(object);
    return;
  }
  fmt::print("{}\n", report_text(learned.report, kind.trains_by_epochs()));
  if (!learned.validation.empty()) fmt::print("validation  {}\n", to_text(learned.validation, ks));
  if (!learned.test.empty()) fmt::print("test        {}\n", to_text(learned.test, ks));
}

void add_train_task(CLI::App& train, std::string_view task, const char* description, Program& program) {
  const bool equations = task == kEquationTask;
  CLI::App* command = train.add_subcommand(std::string(task), description);
  auto options = std::make_shared<Train>(task);
  command
      ->add_option("--data", options->data,
                   equations ? "A data folder, a table, a knowledge base or a DIMACS file"
                             : "A data folder with train, validation and test")
      ->type_name(equations ? "DIR|FILE" : "DIR");
  command->add_option("--out", options->place.folder, "The run folder")->type_name("RUN")->required();
  add_request_options(*command, options->request);
  if (equations) {
    command->add_option("--snapshots", options->snapshots, "Epochs whose models are kept too; 0: before the first")
        ->type_name("N,N,...|every:N");
  }
  CLI::Option* resume =
      command->add_flag("--resume", options->place.resume, "Resume an earlier run that was stopped");
  command->add_flag("--force", options->place.force, "Replace a run that is in the folder already")->excludes(resume);
  add_threads_option(*command, options->threads);
  add_seed_option(*command, program);
  add_quiet_option(*command, program);
  add_json_option(*command, program);
  command->callback([command, options, equations, &program] {
    options->configured = is_configured(*command);
    program.run = [options, equations, &program] {
      equations ? train_equations(*options, program) : train_recommender(*options, program);
    };
  });
}

}  // namespace

void add_train_command(CLI::App& app, Program& program) {
  CLI::App* train = app.add_subcommand("train", "Learn from data");
  train->require_subcommand(1);
  add_train_task(*train, kEquationTask, "Learn from equations how true expressions are", program);
  add_train_task(*train, kRecommendTask, "Learn from likes and dislikes what to recommend", program);
}

}  // namespace linn::app
