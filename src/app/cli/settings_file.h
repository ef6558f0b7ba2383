// Settings of a model in a file, for --config.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "linn/base/error.h"

namespace linn::app {

struct GivenSetting {
  std::string name;
  std::string value;
  Place place = {};  // in a file; empty for the command line
};

// Reads lines KEY = VALUE with # for comments, or a JSON object; the settings in the config.json of a run are those
// under "options". Throws InputError.
std::vector<GivenSetting> read_settings_file(const std::filesystem::path& path);

}  // namespace linn::app
