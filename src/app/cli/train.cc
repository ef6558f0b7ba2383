// linn train: learns from data and writes a run folder.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>

#include "app/cli/model_options.h"
#include "app/cli/program.h"
#include "app/cli/progress.h"
#include "app/evaluate/metrics_text.h"
#include "linn/base/context.h"
#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/data/packed_data.h"
#include "linn/equations/equation_registry.h"
#include "linn/equations/learn_equations.h"
#include "linn/recommend/learn_recommender.h"
#include "linn/recommend/recommender_registry.h"
#include "linn/train/run_data.h"

namespace linn::app {
namespace {

struct Train {
  ModelOptions model;
  std::string data;
  RunPlace place;
  std::string from;  // a run to continue from; empty: none
  std::string snapshots;
  std::size_t threads = 0;
  DeviceOptions device_options;
  std::unique_ptr<TrainingDevice> device;  // null: the CPU
  bool configured = false;                 // an option was given that a resumed run must share
  bool send_data = false;                  // the first of several processes reads the data
};

// The configuration of the run to be resumed, if any. The first of several processes looks.
std::optional<RunConfig> find_run(const Train& train, ProcessGroup& processes) {
  const std::string text = from_first(processes, [&] {
    const std::optional<RunConfig> resumed = run_to_resume(train.place, train.model.task);
    if (!train.place.resume && !train.place.force && RunFolder::exists(train.place.folder)) {
      throw InputError("this folder already contains a run; use --resume to continue it or --force to replace it",
                       Place{train.place.folder.string(), 0, 0});
    }
    return resumed ? resumed->to_json() : std::string();
  });
  if (text.empty()) return std::nullopt;
  return parse_config(text, train.place.folder);
}

// What `read` reads. If it is to be sent, the first process alone reads it.
template <class Data>
Data read_data(const Train& train, ProcessGroup& processes, const std::function<Data()>& read) {
  if (!train.send_data || processes.size() == 1) return read();
  Data data;
  unpack(from_first(processes, [&] { return pack(read()); }), data);
  return data;
}

// The configuration of a run, from the command line or, for a run that is resumed without such options, from its
// folder.
class TrainConfig {
 public:
  TrainConfig(const Train& train, const Program& program)
      : train_(train), resumed_(find_run(train, *program.processes)) {
    if (resumed_ && !train.configured) {
      config_ = *resumed_;
      return;
    }
    const std::string& data = train.data.empty() && resumed_ ? resumed_->data : train.data;
    if (data.empty()) throw InputError("--data is required");
    const SnapshotEpochs checked(train.snapshots);  // throws before anything is replaced
    if (!train.snapshots.empty() && !train.model.kind().trains_by_epochs()) {
      throw InputError(
          fmt::format("--snapshots is only for models that are trained by epochs, not {}", train.model.model));
    }
    config_.task = train.model.task;
    config_.model = train.model.model;
    config_.data = absolute_name(data);
    config_.seed = program.seed;
    config_.snapshots = train.snapshots;
    const std::string& from = train.from.empty() && resumed_ ? resumed_->from : train.from;
    if (!from.empty()) continue_from(from, train.model.task, config_);
    base_settings_ = config_.options;
  }

  const RunConfig& config() const { return config_; }
  bool continues() const { return !config_.from.empty(); }
  // Where the run is stored, and what it starts from.
  RunPlace place() const {
    RunPlace place = train_.place;
    place.base = base_model(config_);
    return place;
  }
  // As the user typed it, for errors.
  const std::string& data() const { return train_.data.empty() ? config_.data : train_.data; }

  // Adds the settings, which depend on the size of the data. Throws InputError if a resumed run had others.
  std::unique_ptr<Settings> settle(const DataSize& size) {
    const ModelKind& kind = model_kind(config_.task, config_.model);
    std::unique_ptr<Settings> settings;
    const auto chosen = [&] {
      return continues() ? train_.model.settings_from(base_settings_) : train_.model.settings_for(size);
    };
    if (!resumed_) {
      settings = chosen();
    } else {
      if (resumed_->model == config_.model) {  // brings old names up to date
        resumed_->options = kind.stored_settings(resumed_->options)->values();
      }
      if (train_.configured) {
        config_.options = chosen()->values();
        require_same(*resumed_, config_);
      }
      settings = kind.stored_settings(resumed_->options);
      for (const char* name : {"epochs", "patience"}) {  // all that may change
        const std::string& value = train_.model.shortcuts.at(name);
        if (!value.empty()) settings->set(name, value);
      }
    }
    config_.options = settings->values();
    return settings;
  }

 private:
  const Train& train_;
  std::optional<RunConfig> resumed_;
  RunConfig config_;
  NamedValues base_settings_;  // of a run that continues from another one
};

// Calls `learn` with a context and, for a model trained by epochs, a progress line.
template <class Learn>
auto learn_with_progress(const ModelKind& kind, const Train& train, const RunConfig& config, Program& program,
                         const Learn& learn) {
  Context context(config.seed, train.threads, nullptr, program.processes);
  context.set_device(train.device.get());
  ProgressLine line(program.quiet);
  if (kind.trains_by_epochs()) {
    const bool may_change = !train.place.resume && preset_or_best(kind, train.model.preset) == Preset::kBest;
    line.expect_training(may_change ? faster_options(config.model, config.options) : "");
    watch(context, line);
  } else {
    watch_fit(context, line);
  }
  try {
    auto learned = learn(context);
    if (learned.report.interrupted) program.status = 1;
    return learned;
  } catch (const Divergence&) {
    if (program.json) print_json({{"diverged", true}});
    throw;
  }
}

std::string report_text(const TrainingReport& report, bool by_epochs) {
  if (!by_epochs) {
    return report.seconds_per_epoch ? fmt::format("fitted in {:.3f} s", *report.seconds_per_epoch) : "already fitted";
  }
  return fmt::format("{}best epoch {} of {}{}", report.interrupted ? "interrupted; " : "", report.best_epoch,
                     report.epochs,
                     report.seconds_per_epoch ? fmt::format(", {:.3f} s per epoch", *report.seconds_per_epoch) : "");
}

template <class Metrics>
Json result_to_json(const TrainingReport& report, const Metrics& validation, const Metrics& test) {
  Json object = to_json(test);
  object["validation"] = to_json(validation);
  object["epoch"] = report.best_epoch;
  object["epochs"] = report.epochs;
  object["seconds_per_epoch"] = or_null(report.seconds_per_epoch);
  object["interrupted"] = report.interrupted;
  return object;
}

template <class Metrics>
void print_result(const TrainingReport& report, bool by_epochs, const Metrics& validation, const Metrics& test) {
  fmt::print("{}\n", report_text(report, by_epochs));
  const auto print = [](const char* split, const std::string& metrics) {
    if (!metrics.empty()) fmt::print("{:<12}{}\n", split, metrics);
  };
  print("validation", to_text(validation));
  print("test", to_text(test));
}

void train_equations(const Train& train, Program& program) {
  TrainConfig run(train, program);
  EquationData data =
      read_data<EquationData>(train, *program.processes, [&] { return read_run_equations(run.config(), run.data()); });
  const auto settings = run.settle({data.train.size() + data.validation.size() + data.test.size(), 0});
  const EquationKind& kind = equation_registry().require(run.config().model);
  const LearnedEquations learned = learn_with_progress(kind, train, run.config(), program, [&](Context& context) {
    return learn_equations(kind, *settings, run.config(), data, run.place(), context);
  });
  if (data.unsplit && !program.quiet) {
    fmt::print(stderr, "linn: {} equations are too few to split: all of them are used for training\n",
               data.train.size());
  }
  if (program.json) {
    Json object = result_to_json(learned.report, learned.validation, learned.test);
    object["unsplit"] = data.unsplit;
    print_json(object);
  } else {
    print_result(learned.report, kind.trains_by_epochs(), learned.validation, learned.test);
  }
}

void train_recommender(const Train& train, Program& program) {
  TrainConfig run(train, program);
  const InteractionData data = read_data<InteractionData>(
      train, *program.processes, [&] { return read_run_interactions(run.config(), run.data()); });
  const auto settings =
      run.settle({data.train.size() + data.validation.size() + data.test.size(), data.users.size(), data.items.size()});
  const RecommenderKind& kind = recommender_registry().require(run.config().model);
  const std::string remark = kind.remark(*settings);
  if (!remark.empty() && !program.quiet) fmt::print(stderr, "linn: {}\n", remark);
  const LearnedRecommender learned = learn_with_progress(kind, train, run.config(), program, [&](Context& context) {
    return learn_recommender(kind, *settings, run.config(), data, run.place(), context);
  });
  const HeldOutRankings validation = {learned.validation, kCandidates};
  const HeldOutRankings test = {learned.test, kCandidates};
  if (program.json) {
    print_json(result_to_json(learned.report, validation, test));
  } else {
    print_result(learned.report, kind.trains_by_epochs(), validation, test);
  }
}

// A run that continues from another one has its model.
void take_model_of_base(Train& train, const CLI::App& command, ProcessGroup& processes) {
  std::string from = train.from;
  if (from.empty()) {
    const std::optional<RunConfig> resumed = find_run(train, processes);
    if (!resumed || resumed->from.empty()) return;
    from = resumed->from;
    for (const char* option : {"--model", "--preset"}) {
      if (command.count(option) == 0) continue;
      throw InputError(fmt::format("{} cannot change: the run that is resumed continues from '{}'", option, from));
    }
  }
  train.model.model = read_config(RunFolder::open(from)).model;
}

void add_train_task(CLI::App& parent, std::string_view task, const char* description, Program& program) {
  const bool equations = task == kEquationTask;
  CLI::App* command = parent.add_subcommand(std::string(task), description);
  auto train = std::make_shared<Train>();
  train->model.task = task;
  CLI::Option* data = command
                          ->add_option("--data", train->data,
                                       equations ? "A data folder, a table, a knowledge base or a DIMACS file"
                                                 : "A data folder with train, validation and test")
                          ->type_name(equations ? "DIR|FILE" : "DIR");
  command->add_option("--out", train->place.folder, "The run folder")->type_name("RUN")->required();
  std::vector<CLI::Option*> shared = add_training_options(*command, train->model);
  shared.push_back(data);
  CLI::Option* from =
      command
          ->add_option("--from", train->from, "Continue from this run with new data: --data has only what came later")
          ->type_name("RUN");
  for (const char* name : {"--model", "--preset"}) from->excludes(command->get_option(name));
  shared.push_back(from);
  if (equations) {
    shared.push_back(
        command->add_option("--snapshots", train->snapshots, "Also keep the models of these epochs; 0: before training")
            ->type_name("N,N,...|every:N"));
  }
  CLI::Option* resume = command->add_flag("--resume", train->place.resume,
                                          "Resume the run in the folder; start a new one if there is none");
  command
      ->add_flag("--accept-changed-data", train->place.accept_changed_data,
                 "Resume although the data have changed since the run was started")
      ->needs(resume);
  command->add_flag("--send-data", train->send_data,
                    "With several processes: the first one reads the data and sends them to the others");
  command->add_flag("--force", train->place.force, "Replace the run in the folder")->excludes(resume);
  add_threads_option(*command, train->threads);
  add_device_option(*command, train->device_options);
  shared.push_back(add_seed_option(*command, program));
  add_quiet_option(*command, program);
  add_json_option(*command, program);
  run_shared_if_chosen(*command, program, [train, shared, equations, command, &program] {
    train->device = train->device_options.open();
    if (!train->from.empty()) {
      std::error_code missing;
      if (std::filesystem::equivalent(train->from, train->place.folder, missing)) {
        throw InputError("--out must be another folder than --from");
      }
    }
    take_model_of_base(*train, *command, *program.processes);
    train->configured = std::ranges::any_of(shared, [](const CLI::Option* option) { return option->count() > 0; });
    equations ? train_equations(*train, program) : train_recommender(*train, program);
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
