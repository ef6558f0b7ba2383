#include "linn/cli/runs.h"

#include <fmt/format.h>

#include "linn/base/error.h"

namespace linn::cli {

Json read_config(const RunFolder& folder) {
  Json config = Json::parse(folder.config(), nullptr, false);
  const auto has_text = [&](const char* key) { return config.contains(key) && config[key].is_string(); };
  bool good = config.is_object() && has_text("task") && has_text("model") && has_text("data") &&
              config.contains("seed") && config["seed"].is_number_unsigned();
  if (good && config.contains("options")) {
    good = config["options"].is_object();
    for (const auto& [key, value] : config["options"].items()) good = good && value.is_string();
  }
  if (!good) throw InputError("not the configuration of a run", Place{folder.config_path().string(), 0, 0});
  return config;
}

void require_task(const Json& config, std::string_view task, const RunFolder& folder) {
  if (config["task"] == task) return;
  throw InputError(task == "equations" ? "this run is about recommendations, not equations"
                                       : "this run is about equations, not recommendations",
                   Place{folder.path().string(), 0, 0});
}

EquationMetrics evaluate_model(const EquationModel& model, ExpressionPool& pool, const EquationList& equations,
                               ThreadPool& threads) {
  return equation_metrics(model.probabilities(pool, equations.expressions, threads), equations.labels);
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

}  // namespace linn::cli
