#include "app/reproduce/recommend_trainings.h"

#include <utility>

#include "linn/recommend/recommender_registry.h"

namespace linn::app {
namespace {

// Estimated seconds on one core.
double cost_of(std::string_view set, std::string_view model, std::string_view preset, bool quick) {
  const RecommenderKind& kind = recommender_registry().require(model);
  double cost = kind.cost();
  if (preset == "best" && kind.trains_by_epochs()) cost *= 1.2;
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
  if (setup.quick && recommender_registry().require(model).trains_by_epochs()) training.options = {"--epochs", "3"};
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
