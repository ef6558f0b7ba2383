// linn tune: many short trainings, fewer longer ones, one table. A trial is `linn train` with some settings, run as a
// process of its own into a folder of its own, so that every trial can be looked at, resumed and used like any run.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <thread>

#include "app/cli/program.h"
#include "app/cli/stop_signals.h"
#include "app/cli/train_request.h"
#include "app/process/child_pool.h"
#include "app/process/child_process.h"
#include "app/reproduce/job.h"
#include "app/tune/search_space.h"
#include "app/tune/successive_halving.h"
#include "linn/base/error.h"
#include "linn/base/file.h"

namespace linn::app {
namespace {

constexpr std::size_t kUsualEpochs = 30;

struct Tune {
  std::string task;
  std::string data;
  std::string out;
  std::string model = "linn";
  std::string preset = "best";
  std::vector<std::string> settings;  // the same for all trials
  std::vector<std::string> search;
  std::size_t trials = 16;
  std::optional<std::size_t> epochs;  // of models that are trained by epochs
  std::size_t parallel = 0;
  bool resume = false;
};

// What a trial has come to.
struct Trial {
  std::vector<std::string> settings;
  std::size_t epochs = 0;  // that it has come to
  double score = -std::numeric_limits<double>::infinity();
  Json result;  // of train, empty where it failed
  std::string failure;
};

bool by_epochs(const Tune& tune) { return model_kind(tune.task, tune.model).trains_by_epochs(); }

std::vector<std::string> usual_ranges(const Tune& tune) {
  std::vector<std::string> ranges = model_kind(tune.task, tune.model).search_ranges(preset_of(tune.preset));
  if (ranges.empty()) throw InputError(fmt::format("the model {} has no settings to search", tune.model));
  return ranges;
}

// Whether a setting of the model takes whole numbers only. If the model does not have it, its trials complain.
bool is_whole_number(const Tune& tune, const std::string& key) {
  for (const OptionInfo& option : model_kind(tune.task, tune.model).preset(Preset::kBest, {})->list()) {
    if (option.name == key) return option.type == OptionType::kInteger;
  }
  return false;
}

std::string trial_name(std::size_t trial) { return fmt::format("trial-{:03}", trial + 1); }

class TrialRunner {
 public:
  TrialRunner(const Tune& tune, std::uint64_t seed) : tune_(tune), seed_(seed), program_(this_program()) {}

  bool has_run(std::size_t trial) const { return std::filesystem::exists(file(trial, "")); }

  // Trains those trials for so many epochs in all, several at a time, unless an earlier search has. False if somebody
  // asked to stop.
  bool run(std::span<const std::size_t> numbers, std::size_t epochs, std::vector<Trial>& trials, bool quiet) {
    ChildPool pool(asked_to_stop);
    std::size_t next = 0;
    std::size_t done = 0;
    bool cut_off = false;  // a trial was ended by somebody else, so the search is
    for (;;) {
      while (!pool.stopped() && !cut_off && next < numbers.size() && pool.size() < tune_.parallel) {
        const std::size_t trial = numbers[next++];
        if (std::filesystem::exists(result_file(trial, epochs))) {
          read_result(trial, epochs, trials[trial]);
          ++done;
        } else {
          pool.add(start(trial, trials[trial], epochs), trial);
        }
      }
      if (pool.empty()) break;
      const auto ended = pool.wait();
      if (!ended) continue;
      const std::size_t trial = ended->number;
      if (ended->child.status == 2) throw InputError(first_complaint(read_file(file(trial, ".log"))));
      if (was_interrupted(trial, ended->child)) {
        cut_off = true;
        continue;
      }
      ++done;
      keep_result(trial, epochs, trials[trial]);
      if (!quiet) {
        fmt::print(stderr, "{:>4} of {} trials{}: {} {:.4f}\n", done, numbers.size(),
                   by_epochs(tune_) ? fmt::format(" at {} epochs", epochs) : "", trial_name(trial),
                   trials[trial].score);
      }
    }
    return done == numbers.size();
  }

 private:
  std::filesystem::path file(std::size_t trial, const std::string& ending) const {
    return std::filesystem::path(tune_.out) / (trial_name(trial) + ending);
  }

  // What a trial printed at so many epochs. It is kept, because the same trial is another model when it has gone on.
  std::filesystem::path result_file(std::size_t trial, std::size_t epochs) const {
    return file(trial, fmt::format("-at-{}.json", epochs));
  }

  pid_t start(std::size_t trial, const Trial& what, std::size_t epochs) const {
    std::vector<std::string> words = {"train",     tune_.task,
                                      "--data",    tune_.data,
                                      "--model",   tune_.model,
                                      "--preset",  tune_.preset,
                                      "--out",     file(trial, "").string(),
                                      "--seed",    fmt::format("{}", seed_),
                                      "--threads", "1",
                                      "--resume",  "--quiet",
                                      "--json"};
    if (by_epochs(tune_)) words.insert(words.end(), {"--epochs", fmt::format("{}", epochs)});
    for (const auto* settings : {&tune_.settings, &what.settings}) {
      for (const std::string& setting : *settings) words.insert(words.end(), {"--set", setting});
    }
    return start_child(program_, words, file(trial, ".json"), file(trial, ".log"));
  }

  // A trial that was stopped from outside says so; one that diverged has failed by itself.
  bool was_interrupted(std::size_t trial, const EndedChild& ended) const {
    if (ended.killed) return true;
    const Json result = Json::parse(read_file(file(trial, ".json")), nullptr, false);
    return result.is_object() && result.value("interrupted", false);
  }

  // Of a trial that has just ended.
  void keep_result(std::size_t trial, std::size_t epochs, Trial& what) const {
    if (Json::accept(read_file(file(trial, ".json")))) {
      std::filesystem::rename(file(trial, ".json"), result_file(trial, epochs));
      read_result(trial, epochs, what);
    } else {
      what.epochs = epochs;
      what.result = Json();
      what.failure = first_complaint(read_file(file(trial, ".log")));
      what.score = -std::numeric_limits<double>::infinity();
    }
  }

  void read_result(std::size_t trial, std::size_t epochs, Trial& what) const {
    what.epochs = epochs;
    const std::filesystem::path path = result_file(trial, epochs);
    what.result = Json::parse(read_file(path), nullptr, false);
    if (!what.result.is_object()) throw InputError("is not what linn train prints", Place{path.string(), 0, 0});
    const Json& validation = what.result.at("validation");
    const Json& score = validation.at(tune_.task == "equations" ? "accuracy" : "ndcg@10");
    if (!score.is_number()) {
      throw InputError("there is no validation data, by which a search could choose", Place{tune_.data, 0, 0});
    }
    what.score = score.get<double>();
    // Of trials that are equally often right, the surer one: the loss only breaks ties.
    if (tune_.task == "equations") what.score -= 1e-6 * validation.at("log_loss").get<double>();
  }

  const Tune& tune_;
  std::uint64_t seed_;
  std::filesystem::path program_;
};

// What the search was told; a resumed one must be told the same.
Json config_of(const Tune& tune, std::uint64_t seed) {
  return {{"task", tune.task},     {"data", absolute_name(tune.data)},
          {"model", tune.model},   {"preset", tune.preset},
          {"set", tune.settings},  {"search", tune.search},
          {"trials", tune.trials}, {"epochs", tune.epochs ? Json(*tune.epochs) : Json(nullptr)},
          {"seed", seed}};
}

// True if it was made for this search.
bool prepare_folder(const Tune& tune, std::uint64_t seed) {
  const std::filesystem::path folder = tune.out;
  const std::filesystem::path config = folder / "tune.json";
  const Json given = config_of(tune, seed);
  if (std::filesystem::exists(config)) {
    if (!tune.resume)
      throw InputError("there is a search in this folder already; --resume goes on with it", Place{tune.out, 0, 0});
    if (Json::parse(read_file(config), nullptr, false) != given) {
      throw InputError("the search in this folder was started with other options", Place{config.string(), 0, 0});
    }
    return false;
  }
  if (std::filesystem::exists(folder) && !std::filesystem::is_empty(folder)) {
    throw InputError("the folder has other things in it", Place{tune.out, 0, 0});
  }
  std::filesystem::create_directories(folder);
  write_file(config, given.dump(2) + "\n");
  return true;
}

Json to_json(const Trial& trial, std::size_t number) {
  return {{"trial", trial_name(number)},
          {"settings", trial.settings},
          {"epochs", trial.epochs},
          {"score", trial.result.is_object() ? Json(trial.score) : Json(nullptr)},
          {"validation", trial.result.is_object() ? trial.result["validation"] : Json(nullptr)}};
}

void print_table(const std::vector<Trial>& trials, const std::vector<std::size_t>& order, const Program& program,
                 const Tune& tune, bool finished) {
  if (program.json) {
    Json list = Json::array();
    for (const std::size_t i : order) list.push_back(to_json(trials[i], i));
    print_json({{"trials", list}, {"finished", finished}});
    return;
  }
  fmt::print("{:<10} {:>6} {:>10}  settings\n", "trial", "epochs", tune.task == "equations" ? "accuracy" : "ndcg@10");
  for (const std::size_t i : order) {
    const Trial& trial = trials[i];
    std::string score = trial.failure.empty() ? "-" : "failed";
    if (trial.result.is_object()) score = fmt::format("{:.4f}", trial.score);
    fmt::print("{:<10} {:>6} {:>10}  {}\n", trial_name(i), trial.epochs, score, fmt::join(trial.settings, " "));
  }
  const Trial& best = trials[order[0]];
  if (finished && best.failure.empty()) {
    std::vector<std::string> words = {"train",   tune.task,  "--data",   tune.data,
                                      "--model", tune.model, "--preset", tune.preset};
    for (const auto* settings : {&tune.settings, &best.settings}) {
      for (const std::string& setting : *settings) words.insert(words.end(), {"--set", setting});
    }
    words.insert(words.end(), {"--out", "RUN"});
    fmt::print("\nbest on validation: {}\n", command_line(words));
  }
}

void run(const Tune& given, Program& program) {
  Tune tune = given;
  if (tune.parallel == 0) tune.parallel = std::max(1U, std::thread::hardware_concurrency());
  if (tune.search.empty()) tune.search = usual_ranges(tune);
  std::vector<Rung> rungs = {{1, tune.trials}};
  if (by_epochs(tune)) {
    if (!tune.epochs) tune.epochs = kUsualEpochs;
    rungs = halving_rungs(tune.trials, *tune.epochs);
  } else if (tune.epochs) {
    throw InputError(fmt::format("--epochs means nothing to --model {}, which is fitted at once", tune.model));
  }
  std::vector<SearchRange> ranges;
  for (const std::string& text : tune.search) {
    ranges.push_back(SearchRange::parse(text));
    if (is_whole_number(tune, ranges.back().key())) ranges.back().make_whole();
  }
  const bool new_folder = prepare_folder(tune, program.seed);

  std::vector<Trial> trials(tune.trials);
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < tune.trials; ++i) {
    trials[i].settings = draw_settings(ranges, program.seed, i);
    left.push_back(i);
  }
  TrialRunner runner(tune, program.seed);
  bool finished = true;
  hear_stop_signals();  // trials that are stopped save what they have
  std::vector<double> scores(trials.size());
  for (const Rung& rung : rungs) {
    left = best_trials(left, scores, rung.trials);
    try {
      finished = runner.run(left, rung.epochs, trials, program.quiet);
    } catch (const InputError&) {
      // Told wrongly from the start: nothing was trained. What was stays.
      bool trained = false;
      for (std::size_t i = 0; i < trials.size(); ++i) trained = trained || runner.has_run(i);
      if (new_folder && !trained) std::filesystem::remove_all(tune.out);
      throw;
    }
    if (!finished) break;
    for (const std::size_t i : left) scores[i] = trials[i].score;
    if (std::ranges::all_of(left, [&](std::size_t i) { return !trials[i].failure.empty(); })) {
      throw Failure(fmt::format("every trial failed, the first with: {}", trials[left[0]].failure));
    }
  }
  if (!finished) program.status = 1;

  // Who came further stands first.
  std::vector<std::size_t> order(trials.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::pair(trials[a].epochs, trials[a].score) > std::pair(trials[b].epochs, trials[b].score);
  });
  print_table(trials, order, program, tune, finished);
}

void add_task(CLI::App& tune, const std::string& task, const std::string& what, Program& program) {
  CLI::App* command = tune.add_subcommand(task, what);
  auto options = std::make_shared<Tune>();
  options->task = task;
  command->add_option("--data", options->data, "As for linn train")->type_name("DIR")->required();
  command->add_option("--out", options->out, "The folder of the trials")->type_name("DIR")->required();
  std::vector<Choice<std::string>> models;
  for (const ModelKind* kind : model_kinds(task)) models.push_back({kind->name(), std::string(kind->name())});
  add_choice<std::string>(*command, "--model", options->model, models, "As for linn train");
  add_choice<std::string>(*command, "--preset", options->preset,
                          {{"best", "best"}, {"paper", "paper"}, {"authors", "authors"}},
                          "Settings that trials start from");
  command->add_option("--set", options->settings, "A setting that is the same in all trials; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_option("--search", options->search, "A setting to search, and where; may be repeated")
      ->type_name("KEY=A..B|KEY=A..B:log|KEY=A,B,...")
      ->allow_extra_args(false);
  command->add_option("--trials", options->trials, "How many settings are tried")
      ->type_name("N")
      ->capture_default_str()
      ->check(whole_number(1, 100'000));
  command->add_option("--epochs", options->epochs, "Epochs of the trials that come to the end; others get a part")
      ->type_name("N")
      ->default_str(fmt::format("{}", kUsualEpochs))
      ->check(whole_number(1, 1'000'000));
  command->add_option("--parallel", options->parallel, "Trials at a time, a thread each; 0: as many as there are cores")
      ->type_name("N")
      ->capture_default_str()
      ->check(whole_number(0, 4096));
  command->add_flag("--resume", options->resume, "Go on where an earlier search was stopped");
  add_seed_option(*command, program);
  add_quiet_option(*command, program);
  add_json_option(*command, program);
  const std::string others = task == "equations" ? "for linn, but not in the preset best, the weight of the laws"
                                                 : "for linn the weight of the laws. For itemknn they are the\n"
                                                   "neighbours, the shrinkage and the history, for ease the ridge and "
                                                   "the history";
  command->footer(
      "Every trial is trained for a few epochs; the better third goes on, three times as long, and so on. The same\n"
      "--trials and --epochs are the same effort for every model. Without --search the usual settings of a model are\n"
      "searched: learning rate, weight decay, dropout, and " +
      others + ".");
  command->callback([options, &program] { program.run = [options, &program] { run(*options, program); }; });
}

}  // namespace

void add_tune_command(CLI::App& app, Program& program) {
  CLI::App* tune = app.add_subcommand("tune", "Search for good settings on validation data");
  tune->require_subcommand(1);
  add_task(*tune, "equations", "For learning from equations", program);
  add_task(*tune, "recommend", "For recommendations", program);
}

}  // namespace linn::app
