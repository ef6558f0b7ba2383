#include "app/reproduce/recommend_trainings.h"

#include <array>
#include <utility>

#include "app/tune/task_models.h"

namespace linn::app {
namespace {

// Estimated seconds on one core for ML-100k.
double cost_of(std::string_view set, std::string_view model, std::string_view preset, bool quick) {
  constexpr std::array<std::pair<std::string_view, double>, 9> kCosts = {{{"linn", 600.0},
                                                                          {"linn-rl", 250.0},
                                                                          {"bprmf", 40.0},
                                                                          {"svdpp", 150.0},
                                                                          {"stamp", 60.0},
                                                                          {"gru4rec", 120.0},
                                                                          {"narm", 180.0},
                                                                          {"sasrec", 180.0},
                                                                          {"ease", 5.0}}};
  double cost = 5.0;
  for (const auto& [name, seconds] : kCosts) {
    if (name == model) cost = seconds;
  }
  if (preset == "best" && cost > 20.0) cost *= 1.2;
  if (set == kElectronics) cost *= 17.0;
  return quick ? cost / 12.0 : cost;
}

}  // namespace

Training recommend_training(const ReproduceSetup& setup, std::string_view set, std::string_view model,
                            std::string_view preset, std::vector<std::string> settings) {
  Training training;
  training.task = "recommend";
  training.data = set;
  training.model = model;
  training.preset = preset;
  training.settings = std::move(settings);
  if (setup.quick && trains_by_epochs("recommend", model)) training.options = {"--epochs", "3"};
  training.cost = cost_of(set, model, preset, setup.quick);
  return training;
}

Training rules_training(const ReproduceSetup& setup) {
  Training training = recommend_training(setup, "rules", "linn", "best");
  training.generate = {"interactions"};
  training.cost = setup.quick ? 5.0 : 60.0;
  return training;
}

}  // namespace linn::app
