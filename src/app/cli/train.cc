// linn train: learning from data into a run folder.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "app/cli/equation_runs.h"
#include "app/cli/program.h"
#include "app/cli/progress.h"
#include "app/cli/runs.h"
#include "app/cli/settings.h"
#include "app/cli/training_runs.h"
#include "linn/base/context.h"
#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/equations/equation_model.h"
#include "linn/equations/fit_exact.h"
#include "linn/train/snapshot_epochs.h"

namespace linn::app {
namespace {

struct TrainEquations {
  EquationRequest request;
  std::string data;
  std::string out;
  std::string snapshots;
  bool resume = false;
  bool force = false;
  std::size_t threads = 0;
  bool preset_given = false;
  bool configured = false;  // anything was given that a run's configuration holds too
};

std::size_t equations_of(const EquationData& data) {
  return data.train.size() + data.validation.size() + data.test.size();
}

Json config_of(const TrainEquations& train, const Json* settings, std::uint64_t seed) {
  Json config = {{"task", "equations"},
                 {"model", word_of(equation_models(), train.request.model)},
                 {"data", absolute_name(train.data)},
                 {"seed", seed}};
  if (!train.request.label_noise.empty()) config["label_noise"] = train.request.label_noise;
  if (!train.snapshots.empty()) config["snapshots"] = train.snapshots;
  if (settings != nullptr) config["options"] = *settings;
  return config;
}

TrainingReport start_run(const TrainEquations& train, EquationData& data, Context& context) {
  const Json settings = settings_of(train.request, equations_of(data));
  check_expressions(data, train.request.model, settings);
  RunFolder folder =
      RunFolder::create(train.out, config_of(train, &settings, context.seed()).dump(2) + "\n", train.force);
  return train_by_epochs(train.request.model, settings, data, context, folder, train.snapshots);
}

TrainingReport resume_run(const TrainEquations& train, const Json& config, EquationData& data, Context& context) {
  Json settings = config.value("options", Json::object());
  if (!train.request.epochs.empty()) settings["epochs"] = train.request.epochs;
  if (!train.request.patience.empty()) settings["patience"] = train.request.patience;
  settings = checked_settings(train.request.model, settings);
  RunFolder folder = RunFolder::resume(train.out);
  keep_changes(folder, config, settings);
  return train_by_epochs(train.request.model, settings, data, context, folder, config.value("snapshots", ""));
}

// The models that are not trained epoch by epoch.
std::unique_ptr<EquationModel> fit(const EquationRequest& request, EquationData& data, Context& context) {
  if (request.model == EquationModelKind::kMajority) {
    double share = 0.0;
    for (const float label : data.train.labels) share += static_cast<double>(label);
    share /= static_cast<double>(data.train.size());
    return std::make_unique<MajorityModel>(data.pool.variables(), static_cast<float>(share));
  }
  GibbsOptions options;
  if (!request.label_noise.empty() && request.label_noise != "auto") {
    options.noise = label_noise_share(request.label_noise);
  }
  options.seed = context.seed();
  options.threads = context.pool().threads();
  return fit_exact(data.pool, data.train, options);
}

void check_request(const TrainEquations& train) {
  if (train.data.empty()) throw InputError("--data is required");
  const SnapshotEpochs checked(train.snapshots);  // before anything is replaced
  const bool for_epochs = train.preset_given || train.request.has_settings() || !train.snapshots.empty();
  if (for_epochs && !trains_by_epochs(train.request.model)) {
    throw InputError(
        "--preset, --set, --config, --epochs, --patience, --ensemble and --snapshots are for models that are trained "
        "by epochs");
  }
  if (train.request.model == EquationModelKind::kMajority && !train.request.label_noise.empty()) {
    throw InputError("--label-noise means nothing to --model majority");
  }
}

void print_report(const TrainEquations& train, const TrainingReport& report, EquationData& data, Context& context,
                  const Program& program) {
  const auto model = load_equation_model(RunFolder::open(train.out).model_path());
  const EquationMetrics test = evaluate_model(*model, data.pool, data.test, context.pool());
  const EquationMetrics validation = evaluate_model(*model, data.pool, data.validation, context.pool());
  if (program.json) {
    Json object = to_json(test);
    object["validation"] = to_json(validation);
    add_report(object, report);
    object["unsplit"] = data.unsplit;
    print_json(object);
    return;
  }
  fmt::print("{}\n", to_text(report, trains_by_epochs(train.request.model)));
  if (validation.count > 0) fmt::print("validation  {}\n", to_text(validation));
  if (test.count > 0) fmt::print("test        {}\n", to_text(test));
}

void run(const TrainEquations& given, Program& program) {
  TrainEquations train = given;
  std::uint64_t seed = program.seed;
  std::optional<Json> resumed;
  if (train.resume && RunFolder::exists(train.out)) {
    const RunFolder folder = RunFolder::open(train.out);
    resumed = read_config(folder);
    require_task(*resumed, "equations", folder);
    if (train.data.empty()) train.data = (*resumed)["data"].get<std::string>();
    if (!train.configured) {
      seed = (*resumed)["seed"].get<std::uint64_t>();
      for (const auto& choice : equation_models()) {
        if (choice.word == (*resumed)["model"].get<std::string>()) train.request.model = choice.value;
      }
      train.request.label_noise = resumed->value("label_noise", "");
    }
  }
  check_request(train);

  EquationData data = read_equation_data(train.data, seed);
  if (data.train.size() == 0) throw InputError("there are no equations to train on", Place{train.data, 0, 0});
  const bool by_epochs = trains_by_epochs(train.request.model);
  if (resumed && train.configured) {
    const Json settings = by_epochs ? settings_of(train.request, equations_of(data)) : Json();
    check_same(*resumed, config_of(train, by_epochs ? &settings : nullptr, seed));
  }

  Context context(seed, train.threads);
  TrainingReport report;
  if (by_epochs) {
    ProgressLine line(program.quiet);
    watch(context, line);
    report = resumed ? resume_run(train, *resumed, data, context) : start_run(train, data, context);
  } else {
    report = fit_at_once(
        {train.out, resumed.has_value(), train.force}, config_of(train, nullptr, seed).dump(2) + "\n",
        [&] { return fit(train.request, data, context); },
        [](const EquationModel& model, const auto& path, const std::string& config) {
          model.save(path, {{"config", config}});
        });
  }
  if (report.interrupted) program.status = 1;
  if (data.unsplit && !program.quiet) {
    fmt::print(stderr, "linn: {} equations are too few to split: all of them are used for training\n",
               data.train.size());
  }
  print_report(train, report, data, context, program);
}

}  // namespace

void add_train_command(CLI::App& app, Program& program) {
  CLI::App* train = app.add_subcommand("train", "Learn from data");
  train->require_subcommand(1);

  CLI::App* equations = train->add_subcommand("equations", "Learn from equations how true expressions are");
  auto options = std::make_shared<TrainEquations>();
  equations->add_option("--data", options->data, "A data folder, a table, a knowledge base or a DIMACS file")
      ->type_name("DIR|FILE");
  equations->add_option("--out", options->out, "The run folder")->type_name("RUN")->required();
  add_request_options(*equations, options->request);
  equations->add_option("--snapshots", options->snapshots, "Epochs whose models are kept too; 0: before the first")
      ->type_name("N,N,...|every:N");
  CLI::Option* resume = equations->add_flag("--resume", options->resume, "Go on where an earlier run was stopped");
  equations->add_flag("--force", options->force, "Replace a run that is in the folder already")->excludes(resume);
  add_threads_option(*equations, options->threads);
  add_seed_option(*equations, program);
  add_quiet_option(*equations, program);
  add_json_option(*equations, program);
  equations->footer(equation_settings_help());
  equations->callback([equations, options, &program] {
    for (const char* name : {"--data", "--model", "--preset", "--set", "--config", "--ensemble", "--label-noise",
                             "--snapshots", "--seed"}) {
      options->configured = options->configured || equations->count(name) > 0;
    }
    options->preset_given = equations->count("--preset") > 0;
    program.run = [options, &program] { run(*options, program); };
  });

  add_train_recommend_command(*train, program);
}

}  // namespace linn::app
