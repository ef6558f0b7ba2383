// The search behind `linn tune`: random settings, successive halving. A trial is `linn train` in a process and run
// folder of its own, so it can be resumed and used like any other run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "app/task_kinds.h"
#include "linn/base/json.h"

namespace linn::app {

inline constexpr std::size_t kDefaultSearchEpochs = 30;

// The settings of the model choice are the same in all trials.
struct SearchRequest : ModelChoice {
  std::string data;
  std::string out;
  std::vector<std::string> ranges;  // as SearchRange parses them; empty: the model's default ranges
  std::size_t trials = 16;
  std::optional<std::size_t> epochs;  // only for models trained by epochs
  std::uint64_t seed = 0;
  std::size_t parallel = 1;
  bool resume = false;
  std::string device = "cpu";  // of the trials
};

struct Trial {
  std::string name;  // of its run folder, such as "trial-001"
  std::vector<std::string> settings;
  std::size_t epochs = 0;  // trained so far
  double score = -std::numeric_limits<double>::infinity();
  std::optional<Json> validation;  // the metrics of the best epoch; empty: not run, or failed
  std::string failure;
};

struct SearchResult {
  std::vector<Trial> trials;  // most epochs first, then best score first
  bool finished = false;      // not stopped
};

struct TrialEnd {
  const Trial& trial;
  std::size_t ended = 0;  // trials of this rung so far
  std::size_t total = 0;
};

// `stop` is polled several times a second; trials that are cut off save their progress. Throws InputError for a wrong
// request, and Failure if every trial of a rung fails. A refused search leaves no folder behind.
SearchResult run_search(const SearchRequest& request, const std::function<bool()>& stop,
                        const std::function<void(const TrialEnd&)>& on_end);

// The arguments of `linn train` for a trial, without --out.
std::vector<std::string> train_command(const SearchRequest& request, const Trial& trial);

}  // namespace linn::app
