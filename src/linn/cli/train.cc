// linn train: learning from data into a run folder.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>

#include "linn/base/context.h"
#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/cli/program.h"
#include "linn/cli/runs.h"
#include "linn/data/equations.h"
#include "linn/reason/gibbs.h"
#include "linn/train/equation_model.h"
#include "linn/train/train_equations.h"
#include "linn/train/train_sequence_equations.h"

namespace linn::cli {
namespace {

enum class ModelKind : std::uint8_t { kLinn, kLinnWithoutLaws, kBiRnn, kBiLstm, kCnn, kExact, kMajority };

const std::vector<Choice<ModelKind>> kModels = {
    {"linn", ModelKind::kLinn},        {"linn-rl", ModelKind::kLinnWithoutLaws},
    {"bi-rnn", ModelKind::kBiRnn},     {"bi-lstm", ModelKind::kBiLstm},
    {"cnn", ModelKind::kCnn},          {"exact", ModelKind::kExact},
    {"majority", ModelKind::kMajority}};

struct TrainEquations {
  std::string data;
  std::string out;
  ModelKind model = ModelKind::kLinn;
  EquationPreset preset = EquationPreset::kBest;
  std::vector<std::string> settings;  // KEY=VALUE
  std::string epochs;
  std::string patience;
  std::string label_noise;
  std::string snapshots;
  bool resume = false;
  bool force = false;
  std::size_t threads = 0;
  bool configured = false;  // anything was given that a run's configuration holds too
};

// Ctrl-C asks the training to stop; a second one ends the program at once.
volatile std::sig_atomic_t interrupted = 0;

extern "C" void on_interrupt(int) {
  interrupted = 1;
  std::signal(SIGINT, SIG_DFL);
}

// A line on standard error that is overwritten in a terminal, and now and then a new one elsewhere.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0) {}
  ~ProgressLine() {
    if (shown_ && terminal_) fmt::print(stderr, "\n");
  }

  void show(const Progress& progress) {
    if (quiet_) return;
    const auto now = std::chrono::steady_clock::now();
    const bool last = progress.done == progress.total;
    const auto pause = terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(5000);
    if (shown_ && !last && now - last_shown_ < pause) return;
    if (!shown_ || progress.what != what_) {  // another piece of work has its own clock
      what_ = progress.what;
      started_ = now;
      first_done_ = progress.done - 1;
    }
    last_shown_ = now;
    shown_ = true;
    const double share = static_cast<double>(progress.done) / static_cast<double>(progress.total);
    const double passed = std::chrono::duration<double>(now - started_).count();
    const double left =
        passed * static_cast<double>(progress.total - progress.done) / static_cast<double>(progress.done - first_done_);
    constexpr std::size_t kBar = 24;
    const auto filled = static_cast<std::size_t>(share * kBar);
    fmt::print(stderr, "{}{} [{}{}] {:3.0f}%  {:.4f}  {:.0f} s left{}", terminal_ ? "\r" : "", progress.what,
               std::string(filled, '#'), std::string(kBar - filled, '.'), 100 * share, progress.value, left,
               terminal_ ? "   " : "\n");
  }

 private:
  bool quiet_;
  bool terminal_;
  bool shown_ = false;
  std::string what_;
  std::size_t first_done_ = 0;
  std::chrono::steady_clock::time_point started_, last_shown_;
};

std::pair<std::string, std::string> split_setting(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) throw InputError(fmt::format("--set takes KEY=VALUE, not '{}'", text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

// Set for the models that read equations as sequences.
std::optional<SequenceKind> sequence_kind_of(ModelKind model) { return sequence_kind(word_of(kModels, model)); }

// What was set on the command line.
template <class Options>
void apply_settings(const TrainEquations& train, const OptionTable<Options>& table, Options& options) {
  for (const std::string& setting : train.settings) {
    const auto [key, value] = split_setting(setting);
    table.set(options, key, value);
  }
  if (!train.epochs.empty()) table.set(options, "epochs", train.epochs);
  if (!train.patience.empty()) table.set(options, "patience", train.patience);
  if (!train.label_noise.empty()) {
    if (train.label_noise == "auto") {
      throw InputError("--label-noise auto is for --model exact; give other models a share, such as 0.05");
    }
    table.set(options, "flip_rate", train.label_noise);
  }
}

// The preset, then what was set, in that order.
EquationOptions options_of(const TrainEquations& train, std::size_t equations) {
  const auto table = equation_option_table();
  EquationOptions probe;
  std::size_t width = 0;
  for (const std::string& setting : train.settings) {
    const auto [key, value] = split_setting(setting);
    table.set(probe, key, value);  // the check of names and values comes first
    if (key == "d") width = probe.network.width;
  }
  EquationOptions options = equation_preset(train.preset, equations, width);
  apply_settings(train, table, options);
  if (train.model == ModelKind::kLinnWithoutLaws) {
    options.law_weight = 0.0F;
    options.pretrain_steps = 0;  // it would teach the laws
  }
  return options;
}

SequenceOptions sequence_options_of(const TrainEquations& train, SequenceKind kind, std::size_t equations) {
  SequenceOptions options = sequence_preset(kind, train.preset, equations);
  apply_settings(train, sequence_option_table(kind), options);
  return options;
}

template <class Options>
Json settings_json(const OptionTable<Options>& table, const Options& options) {
  Json settings;
  for (const auto& option : table.options()) settings[option.name] = option.get(options);
  return settings;
}

// All settings of a model that is trained by epochs.
Json settings_of(const TrainEquations& train, std::size_t equations) {
  if (const auto kind = sequence_kind_of(train.model)) {
    return settings_json(sequence_option_table(*kind), sequence_options_of(train, *kind, equations));
  }
  return settings_json(equation_option_table(), options_of(train, equations));
}

Json config_of(const TrainEquations& train, const Json* settings, std::uint64_t seed) {
  Json config = {{"task", "equations"},
                 {"model", word_of(kModels, train.model)},
                 {"data", std::filesystem::absolute(train.data).lexically_normal().string()},
                 {"seed", seed}};
  if (!train.label_noise.empty()) config["label_noise"] = train.label_noise;
  if (!train.snapshots.empty()) config["snapshots"] = train.snapshots;
  if (settings != nullptr) config["options"] = *settings;
  return config;
}

// A run goes on with the settings it was started with; only how long it trains may change. The same command may be
// given again, another one may not.
void check_same(const Json& run, const Json& given) {
  for (const auto& [key, value] : given.items()) {
    if (key == "epochs" || key == "patience") continue;
    if (value.is_object()) {
      check_same(run.contains(key) ? run[key] : Json::object(), value);
    } else if (!run.contains(key) || run[key] != value) {
      throw InputError(fmt::format("the run that is resumed was started with {} {}, not {}", key,
                                   run.contains(key) ? run[key].dump() : "unset", value.dump()));
    }
  }
}

// The settings of a run that goes on, but for how long.
Json settings_of_run(const TrainEquations& train, const Json& config) {
  Json settings = config.contains("options") ? config["options"] : Json::object();
  if (!train.epochs.empty()) settings["epochs"] = train.epochs;
  if (!train.patience.empty()) settings["patience"] = train.patience;
  return settings;
}

template <class Options>
void apply_json(const OptionTable<Options>& table, const Json& settings, Options& options) {
  for (const auto& [key, value] : settings.items()) table.set(options, key, value.template get<std::string>());
}

bool trains_by_epochs(ModelKind model) { return model != ModelKind::kExact && model != ModelKind::kMajority; }

EquationTrainingReport train_by_epochs(const TrainEquations& train, EquationData& data, const Program& program,
                                       Context& context, const Json* resumed) {
  ProgressLine line(program.quiet);
  context.set_progress([&](const Progress& progress) {
    line.show(progress);
    return interrupted == 0;
  });
  std::signal(SIGINT, on_interrupt);
  const std::size_t equations = data.train.size() + data.validation.size() + data.test.size();
  const Json settings = resumed != nullptr ? settings_of_run(train, *resumed) : settings_of(train, equations);
  const SnapshotEpochs snapshots(resumed != nullptr ? resumed->value("snapshots", "") : train.snapshots);
  const auto folder = [&](Form form) {
    if (resumed != nullptr) return RunFolder::resume(train.out);
    check_expressions(data, form);
    return RunFolder::create(train.out, config_of(train, &settings, context.seed()).dump(2) + "\n", train.force);
  };
  if (const auto kind = sequence_kind_of(train.model)) {
    SequenceOptions options;
    options.network.kind = *kind;
    apply_json(sequence_option_table(*kind), settings, options);
    RunFolder run = folder(options.network.form);
    return train_sequence_equations(data, options, context, run, snapshots);
  }
  EquationOptions options;
  apply_json(equation_option_table(), settings, options);
  RunFolder run = folder(options.form);
  return train_equations(data, options, context, run, snapshots);
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
    resumed = read_config(RunFolder::open(train.out));
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
  if (!by_epochs &&
      !(train.settings.empty() && train.epochs.empty() && train.patience.empty() && train.snapshots.empty())) {
    throw InputError("--set, --epochs, --patience and --snapshots are for models that are trained by epochs");
  }
  if (train.model == ModelKind::kMajority && !train.label_noise.empty()) {
    throw InputError("--label-noise means nothing to --model majority");
  }

  EquationData data = read_equation_data(train.data, seed);
  if (data.train.size() == 0) throw InputError("there are no equations to train on", Place{train.data, 0, 0});
  if (resumed && train.configured) {
    const std::size_t equations = data.train.size() + data.validation.size() + data.test.size();
    const Json settings = by_epochs ? settings_of(train, equations) : Json();
    check_same(*resumed, config_of(train, by_epochs ? &settings : nullptr, seed));
  }

  Context context(seed, train.threads);
  EquationTrainingReport report;
  if (by_epochs) {
    report = train_by_epochs(train, data, program, context, resumed ? &*resumed : nullptr);
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

template <class Options>
std::string settings_help(const OptionTable<Options>& table) {
  std::string help;
  for (const auto& option : table.options()) {
    help += fmt::format("  {:<24} {} ({})\n", option.name, option.help, option.range);
  }
  return help;
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
  equations->add_option("--epochs", options->epochs, "Epochs at most")->type_name("N");
  equations->add_option("--patience", options->patience, "Epochs without a better one before training stops")
      ->type_name("N");
  equations
      ->add_option("--label-noise", options->label_noise,
                   "Share of labels expected to be wrong; auto: estimated (exact)")
      ->type_name("P|auto");
  equations->add_option("--snapshots", options->snapshots, "Epochs whose models are kept too; 0: before the first")
      ->type_name("N,N,...|every:N");
  equations->add_flag("--resume", options->resume, "Go on where an earlier run was stopped");
  equations->add_flag("--force", options->force, "Replace a run that is in the folder already");
  add_threads_option(*equations, options->threads);
  add_seed_option(*equations, program);
  add_quiet_option(*equations, program);
  add_json_option(*equations, program);
  std::string footer = "Settings for --set:\n" + settings_help(equation_option_table());
  footer += "\nwith --model bi-rnn and bi-lstm:\n" + settings_help(sequence_option_table(SequenceKind::kBiRnn));
  footer += "\nwith --model cnn:\n" + settings_help(sequence_option_table(SequenceKind::kCnn));
  equations->footer(footer);
  equations->callback([equations, options, &program] {
    for (const char* name : {"--data", "--model", "--preset", "--set", "--label-noise", "--snapshots", "--seed"}) {
      options->configured = options->configured || equations->count(name) > 0;
    }
    program.run = [options, &program] { run(*options, program); };
  });
}

}  // namespace linn::cli
