#include "app/task_kinds.h"

#include "linn/equations/equation_registry.h"
#include "linn/model/run_config.h"
#include "linn/recommend/recommender_registry.h"

namespace linn::app {

std::vector<const ModelKind*> model_kinds(std::string_view task) {
  const auto all = [](const auto& registry) {
    const auto kinds = registry.kinds();
    return std::vector<const ModelKind*>(kinds.begin(), kinds.end());
  };
  return task == kEquationTask ? all(equation_registry()) : all(recommender_registry());
}

const ModelKind& model_kind(std::string_view task, std::string_view name) {
  if (task == kEquationTask) return equation_registry().require(name);
  return recommender_registry().require(name);
}

}  // namespace linn::app
