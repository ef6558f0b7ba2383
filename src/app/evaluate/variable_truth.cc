#include "app/evaluate/variable_truth.h"

#include "linn/base/error.h"

namespace linn::app {

Truth read_truth_of(const Vocabulary& names, const std::filesystem::path& path) {
  ExpressionPool pool;
  const Truth truth = read_truth(path, pool);
  Truth result(names.size());
  bool any = false;
  for (VariableId id = 0; id < truth.size(); ++id) {
    const auto found = names.find(pool.variables().name(id));
    if (!truth[id] || !found) continue;
    result[*found] = truth[id];
    any = true;
  }
  if (!any) throw InputError("the model has none of the variables in this file", Place{path.string(), 0, 0});
  return result;
}

}  // namespace linn::app
