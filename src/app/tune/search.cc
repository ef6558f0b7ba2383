#include "app/tune/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "app/process/job_runner.h"
#include "app/tune/search_space.h"
#include "app/tune/successive_halving.h"
#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/model/run_config.h"

namespace linn::app {
namespace {

constexpr int kBadInput = 2;  // the exit status of a command that refuses its input

// False for a setting that the model does not have; the first trial reports it.
bool takes_whole_numbers(const ModelKind& kind, const std::string& setting) {
  const std::vector<OptionInfo> options = kind.preset(Preset::kBest, {})->list();
  const auto option = std::ranges::find(options, setting, &OptionInfo::name);
  return option != options.end() && option->type == OptionType::kInteger;
}

class Search {
 public:
  Search(const SearchRequest& request, const std::function<bool()>& stop,
         const std::function<void(const TrialEnd&)>& on_end)
      : request_(request), stop_(stop), on_end_(on_end) {
    const ModelKind& kind = request_.kind();
    preset_ = preset_or_best(kind, request_.preset);
    by_epochs_ = kind.trains_by_epochs();
    if (request_.ranges.empty()) request_.ranges = kind.search_ranges(preset_);
    if (request_.ranges.empty()) {
      throw InputError(fmt::format("the model {} has no settings to search", request_.model));
    }
    if (by_epochs_) {
      if (!request_.epochs) request_.epochs = kDefaultSearchEpochs;
    } else if (request_.epochs) {
      throw InputError(fmt::format("--epochs is only for models that are trained by epochs, not {}", request_.model));
    }
    std::vector<SearchRange> ranges;
    for (const std::string& text : request_.ranges) {
      ranges.push_back(SearchRange::parse(text));
      if (takes_whole_numbers(kind, ranges.back().key())) ranges.back().make_whole();
    }
    for (std::size_t i = 0; i < request_.trials; ++i) {
      trials_.emplace_back();
      trials_.back().name = fmt::format("trial-{:03}", i + 1);
      trials_.back().settings = draw_settings(ranges, request_.seed, i);
    }
  }

  SearchResult run() {
    const bool new_folder = prepare_folder();
    try {
      SearchResult result;
      result.finished = run_rungs();
      result.trials = trials_;
      std::ranges::stable_sort(result.trials, [](const Trial& a, const Trial& b) {
        return std::pair(a.epochs, a.score) > std::pair(b.epochs, b.score);
      });
      return result;
    } catch (const InputError&) {
      const bool trained =
          std::ranges::any_of(trials_, [&](const Trial& t) { return std::filesystem::exists(run(t)); });
      if (new_folder && !trained) std::filesystem::remove_all(request_.out);
      throw;
    }
  }

 private:
  std::filesystem::path run(const Trial& trial) const { return std::filesystem::path(request_.out) / trial.name; }

  // The options that a resumed search must share.
  Json config() const {
    return {{"task", request_.task},     {"data", absolute_name(request_.data)},
            {"model", request_.model},   {"preset", preset_name(preset_)},
            {"set", request_.settings},  {"search", request_.ranges},
            {"trials", request_.trials}, {"epochs", request_.epochs ? Json(*request_.epochs) : Json(nullptr)},
            {"seed", request_.seed}};
  }

  // True if the folder is new.
  bool prepare_folder() const {
    const std::filesystem::path folder = request_.out;
    const std::filesystem::path path = folder / "tune.json";
    if (std::filesystem::exists(path)) {
      if (!request_.resume) {
        throw InputError("this folder already holds a search; use --resume to continue it", Place{request_.out, 0, 0});
      }
      // Text that is not JSON is discarded, and compares as equal to anything.
      const Json stored = parse_json(read_file(path));
      if (stored.is_discarded() || stored != config()) {
        throw InputError("the search in this folder was started with other options", Place{path.string(), 0, 0});
      }
      return false;
    }
    create_folder(folder);
    const bool has_files = std::ranges::any_of(
        std::filesystem::directory_iterator(folder),
        [](const std::filesystem::directory_entry& entry) { return !is_temporary_name(entry.path().filename()); });
    if (has_files) throw InputError("the folder is not empty and holds no search", Place{request_.out, 0, 0});
    write_file(path, config().dump(2) + "\n");
    return true;
  }

  // False if the search was stopped.
  bool run_rungs() {
    std::vector<std::size_t> left(trials_.size());
    for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
    std::vector<double> scores(trials_.size());
    const std::vector<Rung> rungs =
        by_epochs_ ? halving_rungs(request_.trials, *request_.epochs) : std::vector<Rung>{{1, request_.trials}};
    for (const Rung& rung : rungs) {
      left = best_trials(left, scores, rung.trials);
      if (!run_rung(left, rung.epochs)) return false;
      for (const std::size_t i : left) scores[i] = trials_[i].score;
      if (std::ranges::all_of(left, [&](std::size_t i) { return !trials_[i].failure.empty(); })) {
        throw Failure(fmt::format("every trial failed, the first with: {}", trials_[left[0]].failure));
      }
    }
    return true;
  }

  // Trains these trials up to this many epochs. False if the search was stopped.
  bool run_rung(std::span<const std::size_t> numbers, std::size_t epochs) {
    // The result at each rung is kept, because the model of a trial changes when it trains on.
    const auto job_name = [&](const Trial& trial) { return fmt::format("{}-at-{}", trial.name, epochs); };
    std::vector<Job> jobs;
    for (const std::size_t i : numbers) {
      Job job;
      job.name = job_name(trials_[i]);
      job.commands = {command(trials_[i], epochs)};
      job.match_by_name = true;  // the same folders may be named in another way when a search is resumed
      jobs.push_back(std::move(job));
    }
    const auto trial_of = [&](const Job& job) -> Trial& {
      return trials_[numbers[static_cast<std::size_t>(&job - jobs.data())]];
    };

    JobResults results;
    bool interrupted = false;  // a trial was, so the search is incomplete
    JobRunnerOptions options;
    options.folder = request_.out;
    options.parallel = request_.parallel;
    options.stop = [&] { return interrupted || stop_(); };
    options.on_end = [&](const JobEnd& end) {
      Trial& trial = trial_of(end.job);
      if (end.failure != nullptr) {
        if (end.failure->status == kBadInput) throw InputError(end.failure->message);
        interrupted = interrupted || end.failure->interrupted;
        if (interrupted) return;
        // Only divergence says something about the settings; a full disk, say, must not choose another winner.
        if (!end.failure->diverged) throw Failure(fmt::format("{}: {}", trial.name, end.failure->message));
        trial.epochs = epochs;
        trial.score = -std::numeric_limits<double>::infinity();
        trial.validation.reset();
        trial.failure = end.failure->message;
      } else {
        take_result(trial, results.of(end.job.name), epochs);
      }
      on_end_({trial, end.ended, end.total});
    };
    const JobsReport report = run_jobs(jobs, options, results);
    for (const Job& job : jobs) {  // those of an earlier call too
      if (results.complete(job)) take_result(trial_of(job), results.of(job.name), epochs);
    }
    return report.finished && !interrupted;
  }

  std::vector<std::string> command(const Trial& trial, std::size_t epochs) const {
    std::vector<std::string> words = train_command(request_, trial);
    words.insert(words.end(), {"--out", run(trial).string(), "--seed", fmt::format("{}", request_.seed), "--threads",
                               "1", "--resume", "--quiet", "--json"});
    if (by_epochs_) words.insert(words.end(), {"--epochs", fmt::format("{}", epochs)});
    return words;
  }

  void take_result(Trial& trial, const Json& printed, std::size_t epochs) const {
    const bool equations = request_.task == kEquationTask;
    const auto figure = [&](const char* name) {
      const Json validation = printed.value("validation", Json());
      if (!validation.is_object() || !validation.contains(name)) {
        throw InputError(fmt::format("the stored result of {} at epoch {} has no {} on validation data; remove it",
                                     trial.name, epochs, name),
                         Place{request_.out, 0, 0});
      }
      return validation[name];
    };
    const Json score = figure(equations ? "accuracy" : "ndcg@10");
    if (!score.is_number()) {
      throw InputError("there is no validation data on which to compare trials", Place{request_.data, 0, 0});
    }
    trial.epochs = epochs;
    trial.validation = printed["validation"];
    trial.failure.clear();
    trial.score = score.get<double>();
    // The log loss breaks ties of accuracy.
    const Json loss = equations ? figure("log_loss") : Json();
    if (loss.is_number()) trial.score -= 1e-6 * loss.get<double>();
  }

  SearchRequest request_;
  const std::function<bool()>& stop_;
  const std::function<void(const TrialEnd&)>& on_end_;
  Preset preset_ = Preset::kBest;
  bool by_epochs_ = false;
  std::vector<Trial> trials_;
};

}  // namespace

SearchResult run_search(const SearchRequest& request, const std::function<bool()>& stop,
                        const std::function<void(const TrialEnd&)>& on_end) {
  return Search(request, stop, on_end).run();
}

std::vector<std::string> train_command(const SearchRequest& request, const Trial& trial) {
  std::vector<std::string> words = {"train", request.task, "--data", request.data, "--model", request.model};
  if (request.preset) words.insert(words.end(), {"--preset", std::string(preset_name(*request.preset))});
  for (const auto* settings : {&request.settings, &trial.settings}) {
    for (const std::string& setting : *settings) words.insert(words.end(), {"--set", setting});
  }
  if (request.device != "cpu") words.insert(words.end(), {"--device", request.device});
  return words;
}

}  // namespace linn::app
