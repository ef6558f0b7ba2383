#include "app/reproduce/equation_trainings.h"

#include <fmt/format.h>

namespace linn::app {
namespace {

// Estimated seconds on one core.
double cost_of(std::string_view set, std::string_view model, std::string_view preset, bool quick) {
  const bool large = set == kEquations10k;
  double cost = 10.0;
  if (model == "linn") cost = preset == "best" ? (large ? 100.0 : 25.0) : (large ? 400.0 : 30.0);
  if (model == "linn-rl") cost = large ? 60.0 : 6.0;
  if (model == "bi-rnn" || model == "cnn") cost = large ? 60.0 : 8.0;
  if (model == "bi-lstm") cost = large ? 150.0 : 15.0;
  if (model == "exact") cost = large ? 25.0 : 2.0;
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
  training.cost = cost_of(set, model, preset, setup.quick);
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
