// linn train: learning from data into a run folder.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include "linn/base/context.h"
#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/cli/program.h"
#include "linn/cli/progress.h"
#include "linn/cli/runs.h"
#include "linn/cli/settings.h"
#include "linn/data/equations.h"
#include "linn/reason/gibbs.h"
#include "linn/train/equation_model.h"
#include "linn/train/train_equations.h"

namespace linn::cli {
namespace {

enum class ModelKind : std::uint8_t { kLinn, kLinnWithoutLaws, kExact, kMajority };

const std::vector<Choice<ModelKind>> kModels = {{"linn", ModelKind::kLinn},
                                                {"linn-rl", ModelKind::kLinnWithoutLaws},
                                                {"exact", ModelKind::kExact},
                                                {"majority", ModelKind::kMajority}};

struct TrainEquations {
  std::string data;
  std::string out;
  ModelKind model = ModelKind::kLinn;
  EquationPreset preset = EquationPreset::kBest;
  std::string config;                 // a file of settings
  std::vector<std::string> settings;  // KEY=VALUE
  std::string ensemble;
  std::string epochs;
  std::string patience;
  std::string label_noise;
  bool resume = false;
  bool force = false;
  std::size_t threads = 0;
  bool configured = false;  // anything was given that a run's configuration holds too
};

// Where the search for the share of wrong labels begins.
constexpr double kFirstFlipRate = 0.05;

// The preset, then the file, then what was set, in that order.
EquationOptions options_of(const TrainEquations& train, std::size_t equations) {
  const auto table = equation_option_table();
  std::vector<std::string> settings;
  if (!train.config.empty()) settings = read_settings(train.config);
  settings.insert(settings.end(), train.settings.begin(), train.settings.end());
  EquationOptions probe;
  std::size_t width = 0;
  for (const std::string& setting : settings) {
    const auto [key, value] = split_setting(setting);
    table.set(probe, key, value);  // the check of names and values comes first
    if (key == "d") width = probe.network.width;
  }
  EquationOptions options = equation_preset(train.preset, equations, width);
  for (const std::string& setting : settings) {
    const auto [key, value] = split_setting(setting);
    table.set(options, key, value);
  }
  if (!train.epochs.empty()) table.set(options, "epochs", train.epochs);
  if (!train.patience.empty()) table.set(options, "patience", train.patience);
  if (!train.ensemble.empty()) table.set(options, "ensemble", train.ensemble);
  if (train.model == ModelKind::kLinnWithoutLaws) {
    options.law_weight = 0.0F;
    options.pretrain.steps = 0;  // it would teach logic
    options.optimizer.parameter_rate = 1.0;
  }
  if (train.label_noise == "auto") {
    options.flip_rate = kFirstFlipRate;
    options.learn_flip_rate = true;
  } else if (!train.label_noise.empty()) {
    table.set(options, "flip_rate", train.label_noise);
  }
  return options;
}

Json config_of(const TrainEquations& train, const EquationOptions* options, std::uint64_t seed) {
  Json config = {{"task", "equations"},
                 {"model", word_of(kModels, train.model)},
                 {"data", std::filesystem::absolute(train.data).lexically_normal().string()},
                 {"seed", seed}};
  if (!train.label_noise.empty()) config["label_noise"] = train.label_noise;
  if (options != nullptr) config["options"] = settings_to_json(equation_option_table(), *options);
  return config;
}

EquationOptions options_of_run(const TrainEquations& train, const Json& config) {
  EquationOptions options;
  const auto table = equation_option_table();
  if (config.contains("options")) settings_from_json(table, config["options"], options);
  if (!train.epochs.empty()) table.set(options, "epochs", train.epochs);
  if (!train.patience.empty()) table.set(options, "patience", train.patience);
  return options;
}

bool trains_by_epochs(ModelKind model) { return model == ModelKind::kLinn || model == ModelKind::kLinnWithoutLaws; }

EquationTrainingReport train_linn(const TrainEquations& train, EquationData& data, const Program& program,
                                  Context& context, const Json* resumed) {
  ProgressLine line(program.quiet);
  watch(context, line);
  if (resumed != nullptr) {
    RunFolder folder = RunFolder::resume(train.out);
    return train_equations(data, options_of_run(train, *resumed), context, folder);
  }
  const EquationOptions options = options_of(train, data.train.size() + data.validation.size() + data.test.size());
  check_expressions(data, options.form);
  RunFolder folder =
      RunFolder::create(train.out, config_of(train, &options, context.seed()).dump(2) + "\n", train.force);
  return train_equations(data, options, context, folder);
}

// The models that are not trained epoch by epoch.
EquationTrainingReport fit_at_once(const TrainEquations& train, EquationData& data, Context& context) {
  const auto start = std::chrono::steady_clock::now();
  std::unique_ptr<EquationModel> model;
  if (train.model == ModelKind::kMajority) {
    double share = 0.0;
    for (const float label : data.train.labels) share += static_cast<double>(label);
    share /= static_cast<double>(data.train.size());
    model = std::make_unique<MajorityModel>(data.pool.variables(), static_cast<float>(share));
  } else {
    GibbsOptions options;
    if (!train.label_noise.empty() && train.label_noise != "auto") {
      options.noise = options_detail::parse_number("--label-noise", train.label_noise, 0.0, 0.5);
    }
    options.seed = context.seed();
    options.threads = context.pool().threads();
    options.keep_assignments = true;
    const GibbsResult result = gibbs_reason(data.pool, data.train, {}, options);
    model = std::make_unique<ExactModel>(data.pool.variables(), result.assignments, result.noise);
  }
  const std::string config = config_of(train, nullptr, context.seed()).dump(2) + "\n";
  const RunFolder folder = RunFolder::create(train.out, config, train.force);
  model->save(folder.model_path(), {{"config", config}});
  EquationTrainingReport report;
  report.best_epoch = report.epochs = 1;
  report.seconds_per_epoch = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
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
      for (const auto& choice : kModels) {
        if (choice.word == (*resumed)["model"].get<std::string>()) train.model = choice.value;
      }
    }
  }
  if (train.data.empty()) throw InputError("--data is required");
  const bool by_epochs = trains_by_epochs(train.model);
  if (!by_epochs && !(train.settings.empty() && train.config.empty() && train.epochs.empty() &&
                      train.patience.empty() && train.ensemble.empty())) {
    throw InputError("--set, --config, --epochs, --patience and --ensemble are for LINN");
  }
  if (train.model == ModelKind::kMajority && !train.label_noise.empty()) {
    throw InputError("--label-noise is for LINN and the exact reasoner");
  }

  EquationData data = read_equation_data(train.data, seed);
  if (data.train.size() == 0) throw InputError("there are no equations to train on", Place{train.data, 0, 0});
  if (resumed && train.configured) {
    const std::size_t equations = data.train.size() + data.validation.size() + data.test.size();
    const EquationOptions options = by_epochs ? options_of(train, equations) : EquationOptions();
    check_same(*resumed, config_of(train, by_epochs ? &options : nullptr, seed));
  }

  Context context(seed, train.threads);
  EquationTrainingReport report;
  if (by_epochs) {
    report = train_linn(train, data, program, context, resumed ? &*resumed : nullptr);
  } else if (!resumed) {
    report = fit_at_once(train, data, context);
  } else {
    report.best_epoch = report.epochs = 1;  // it was done at once, there is nothing to go on with
  }

  if (data.unsplit && !program.quiet) {
    fmt::print(stderr, "linn: {} equations are too few to split: all of them are used for training\n",
               data.train.size());
  }
  const auto model = load_equation_model(RunFolder::open(train.out).model_path());
  const EquationMetrics test = evaluate_model(*model, data.pool, data.test, context.pool());
  const EquationMetrics validation = evaluate_model(*model, data.pool, data.validation, context.pool());
  if (report.interrupted) program.status = 1;
  if (program.json) {
    Json object = to_json(test);
    object["validation"] = to_json(validation);
    object["epoch"] = report.best_epoch;
    object["epochs"] = report.epochs;
    object["seconds_per_epoch"] = report.seconds_per_epoch;
    object["interrupted"] = report.interrupted;
    object["unsplit"] = data.unsplit;
    print_json(object);
    return;
  }
  if (by_epochs) {
    fmt::print("{}best epoch {} of {}, {:.3f} s an epoch\n", report.interrupted ? "interrupted; " : "",
               report.best_epoch, report.epochs, report.seconds_per_epoch);
  } else {
    fmt::print("fitted in {:.3f} s\n", report.seconds_per_epoch);
  }
  if (validation.count > 0) fmt::print("validation  {}\n", to_text(validation));
  if (test.count > 0) fmt::print("test        {}\n", to_text(test));
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
  add_choice<ModelKind>(*equations, "--model", options->model, kModels, "What is trained");
  add_choice<EquationPreset>(
      *equations, "--preset", options->preset,
      {{"best", EquationPreset::kBest}, {"paper", EquationPreset::kPaper}, {"authors", EquationPreset::kAuthors}},
      "Settings to start from");
  equations->add_option("--set", options->settings, "Change a setting of the preset; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  equations
      ->add_option("--config", options->config,
                   "Settings from a file: lines KEY = VALUE, or the config.json of another run; --set goes before it")
      ->type_name("FILE");
  equations->add_option("--ensemble", options->ensemble, "Networks that are trained, and answer as their mean")
      ->type_name("K");
  equations->add_option("--epochs", options->epochs, "Epochs at most")->type_name("N");
  equations->add_option("--patience", options->patience, "Epochs without a better one before training stops")
      ->type_name("N");
  equations->add_option("--label-noise", options->label_noise, "Share of labels expected to be wrong; auto: estimated")
      ->type_name("P|auto");
  equations->add_flag("--resume", options->resume, "Go on where an earlier run was stopped");
  equations->add_flag("--force", options->force, "Replace a run that is in the folder already");
  add_threads_option(*equations, options->threads);
  add_seed_option(*equations, program);
  add_quiet_option(*equations, program);
  add_json_option(*equations, program);
  equations->footer("Settings for --set:\n" + settings_help(equation_option_table()));
  equations->callback([equations, options, &program] {
    for (const char* name :
         {"--data", "--model", "--preset", "--set", "--config", "--ensemble", "--label-noise", "--seed"}) {
      options->configured = options->configured || equations->count(name) > 0;
    }
    program.run = [options, &program] { run(*options, program); };
  });
  add_train_recommend_command(*train, program);
}

}  // namespace linn::cli
