#include "app/reproduce/equation_trainings.h"

#include <fmt/format.h>

#include "linn/equations/equation_registry.h"

namespace linn::app {
namespace {

// Estimated seconds on one core: ten times as many equations take about ten times as long.
double cost_of(std::string_view set, std::string_view model, bool quick) {
  const double cost = equation_registry().require(model).cost() * (set == kEquations10k ? 10.0 : 1.0);
  return quick ? cost / 5.0 : cost;
}

}  // namespace

Training equation_training(const ReproduceSetup& setup, std::string_view set, std::string_view model,
                           std::string_view preset) {
  Training training;
  training.task = "equations";
  training.data = set;
  training.model = model;
  training.preset = preset;
  if (setup.quick && !preset.empty()) training.options = {"--epochs", "15"};
  training.cost = cost_of(set, model, setup.quick);
  return training;
}

Training exact_training(const ReproduceSetup& setup, std::string_view set) {
  Training training = equation_training(setup, set, "exact", "");
  training.options = {"--label-noise", "0"};
  return training;
}

Training noisy_training(const ReproduceSetup& setup, double noise, std::string_view model) {
  Training training = equation_training(setup, kEquations1k, model, model == "exact" ? "" : "best");
  training.data = fmt::format("equations-noise-{:g}", noise);
  // 2,400 for training and 300 for validation, as in the paper's set, and 4,000 for testing.
  training.generate = {"equations",
                       "--variables",
                       "1000",
                       "--equations",
                       "6700",
                       "--noise",
                       fmt::format("{:g}", noise),
                       "--validation-share",
                       "0.04477611940298507",
                       "--test-share",
                       "0.5970149253731343"};
  training.options.insert(training.options.end(), {"--label-noise", fmt::format("{:g}", noise)});
  return training;
}

}  // namespace linn::app
