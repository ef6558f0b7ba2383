// What a run was told, as its folder holds it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linn/model/run_folder.h"

namespace linn {

inline constexpr std::string_view kEquationTask = "equations";
inline constexpr std::string_view kRecommendTask = "recommend";

struct RunConfig {
  std::string task;  // one of the above
  std::string model;
  std::string data;  // the path of the data, in config.json possibly within the run; empty: it came from memory
  std::uint64_t seed = 0;
  std::vector<std::pair<std::string, std::string>> options;  // by name, as text
  std::string snapshots;                                     // as SnapshotEpochs reads it
  std::string data_checksum = {};                            // see data/checksum.h; empty in runs of 0.1.0
  std::map<std::string, std::string> notes = {};             // kept with a recommender, not in config.json

  // Of a run that continues from another one, see train/starting_point.h.
  std::string from = {};  // the folder of that run; empty: none
  struct Source {
    std::string data;
    std::uint64_t seed = 0;
    friend bool operator==(const Source&, const Source&) = default;
  };
  std::vector<Source> earlier_data = {};  // what that run was trained on, oldest first
  std::string earlier_checksum = {};      // of those data together; empty: not known

  // As config.json has it.
  std::string to_json() const;
};

// Reads what to_json() writes. Throws InputError naming the file where it is something else.
RunConfig parse_config(const std::string& text, const std::filesystem::path& file);

// The path of data that the run folder itself holds becomes that of where the folder is now. Throws InputError where
// the configuration is not what linn wrote.
RunConfig read_config(const RunFolder& folder);

// Throws InputError if the run in the folder has another task.
void require_task(const RunConfig& config, std::string_view task, const std::filesystem::path& folder);

// Throws InputError if a run that is resumed was started otherwise than it is given now. Only how long it trains may
// change.
void require_same(const RunConfig& run, const RunConfig& given);

}  // namespace linn
