#include "app/task_kinds.h"

#include <fmt/format.h>

#include "linn/base/error.h"
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

Preset preset_or_best(const ModelKind& kind, std::optional<Preset> given) {
  if (given && !kind.trains_by_epochs()) {
    throw InputError(fmt::format(
        "--preset is only for models that are trained by epochs; {} has a single set of defaults", kind.name()));
  }
  return given.value_or(Preset::kBest);
}

}  // namespace linn::app
