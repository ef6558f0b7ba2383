#include "linn/train/run_data.h"

#include <utility>

#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/data/checksum.h"
#include "linn/data/continued_data.h"

namespace linn {
namespace {

template <class Data>
void check_earlier(const RunConfig& config, const Data& earlier) {
  if (config.earlier_checksum.empty() || checksum(earlier) == config.earlier_checksum) return;
  throw InputError("the data of the run to continue from have changed since it was trained",
                   Place{config.earlier_data.back().data, 0, 0});
}

}  // namespace

InteractionData read_run_interactions(const RunConfig& config, const std::optional<std::string>& shown) {
  InteractionData data;
  for (const RunConfig::Source& source : config.earlier_data) {
    data = continue_data(std::move(data), read_interaction_folder(source.data));
  }
  check_earlier(config, data);
  InteractionData newest = read_interaction_folder(shown.value_or(config.data));
  return config.earlier_data.empty() ? std::move(newest) : continue_data(std::move(data), newest);
}

EquationData read_run_equations(const RunConfig& config, const std::optional<std::string>& shown) {
  EquationData data;
  const auto add = [&](const std::string& path, std::uint64_t seed) {
    EquationData next = read_equation_data(path, seed, std::move(data.pool));
    const bool first = data.train.size() == 0;
    data = first ? std::move(next) : continue_data(std::move(data), std::move(next));
  };
  for (const RunConfig::Source& source : config.earlier_data) add(source.data, source.seed);
  check_earlier(config, data);
  add(shown.value_or(config.data), config.seed);
  return data;
}

void continue_from(const std::filesystem::path& run, std::string_view task, RunConfig& config) {
  const RunFolder folder = RunFolder::open(run);
  const RunConfig base = read_config(folder);
  require_task(base, task, run);
  if (!folder.has_model()) {
    throw InputError("this run does not have a model yet", Place{run.string(), 0, 0});
  }
  if (base.data.empty()) {
    throw InputError("this run was trained on data in memory, so its earlier data are not known",
                     Place{run.string(), 0, 0});
  }
  config.task = base.task;
  config.model = base.model;
  config.options = base.options;
  config.from = absolute_name(run);
  config.earlier_data = base.earlier_data;
  config.earlier_data.push_back({base.data, base.seed});
  config.earlier_checksum = base.data_checksum.substr(0, base.data_checksum.find('-'));
}

std::shared_ptr<const SafetensorsFile> base_model(const RunConfig& config) {
  if (config.from.empty()) return nullptr;
  return std::make_shared<const SafetensorsFile>(SafetensorsFile::read(RunFolder::open(config.from).model_path()));
}

}  // namespace linn
