#include "app/cli/runs.h"

#include <fmt/format.h>

#include <filesystem>

#include "linn/base/error.h"
#include "linn/equations/equation_registry.h"

namespace linn::app {

void require_task(const RunConfig& config, std::string_view task, const RunFolder& folder) {
  if (config.task == task) return;
  throw InputError(task == "equations" ? "this run is about recommendations, not equations"
                                       : "this run is about equations, not recommendations",
                   Place{folder.path().string(), 0, 0});
}

std::filesystem::path trained_model(const RunFolder& folder) {
  const std::filesystem::path path = folder.model_path();
  if (!std::filesystem::exists(path)) {
    throw InputError("this run has no model yet; linn train with --resume goes on with it",
                     Place{folder.path().string(), 0, 0});
  }
  return path;
}

std::unique_ptr<EquationModel> Ask::load() const {
  const RunFolder folder = RunFolder::open(run);
  require_task(read_config(folder), "equations", folder);
  return load_equation_model(SafetensorsFile::read(trained_model(folder)));
}

void add_run_options(CLI::App& command, Ask& ask, Program& program) {
  add_run_argument(command, ask.run);
  add_threads_option(command, ask.threads);
  add_json_option(command, program);
}

std::string AskData::data_path() const {
  return data.empty() ? read_config(RunFolder::open(run)).data : data;
}

EquationData AskData::read() const {
  const std::string path = data_path();
  const bool whole_file = !data.empty() && !split_given && std::filesystem::is_regular_file(path);
  if (!whole_file) {
    return read_equation_data(path, read_config(RunFolder::open(run)).seed);
  }
  EquationData all;
  all.test = read_equation_file(path, all.pool);
  return all;
}

const EquationList& AskData::equations(const EquationData& from) const {
  return split == Split::kTrain ? from.train : split == Split::kValidation ? from.validation : from.test;
}

void add_data_options(CLI::App& command, AskData& ask) {
  command.add_option("--data", ask.data, "Other data than the run was trained on")->type_name("DIR|FILE");
  add_choice<Split>(command, "--split", ask.split,
                    {{"test", Split::kTest}, {"validation", Split::kValidation}, {"train", Split::kTrain}},
                    "Which part of the data; a single file for --data is taken whole unless this is given");
}

Json to_json(const EquationMetrics& metrics) {
  if (metrics.count == 0) {  // nothing was measured
    return {
        {"accuracy", nullptr}, {"rmse", nullptr}, {"log_loss", nullptr}, {"calibration_error", nullptr}, {"count", 0}};
  }
  return {{"accuracy", metrics.accuracy},
          {"rmse", metrics.rmse},
          {"log_loss", metrics.log_loss},
          {"calibration_error", metrics.calibration_error},
          {"count", metrics.count}};
}

std::string to_text(const EquationMetrics& metrics) {
  return fmt::format("accuracy {:.4f}  rmse {:.4f}  log loss {:.4f}  calibration error {:.4f}  ({} equations)",
                     metrics.accuracy, metrics.rmse, metrics.log_loss, metrics.calibration_error, metrics.count);
}

}  // namespace linn::app
