#include "linn/train/variable_map.h"

#include <fmt/format.h>

#include "linn/base/error.h"
#include "linn/base/options.h"
#include "linn/logic/print.h"

namespace linn {

VariableId VariableMap::find(const std::string& name) const {
  if (const auto id = to_.find(name)) return *id;
  std::vector<std::string> known;
  for (VariableId id = 0; id < to_.size(); ++id) known.push_back(to_.name(id));
  const std::string near = nearest_word(name, known);
  throw InputError(fmt::format("the model does not know the variable {}{}", quote_name(name),
                               near.empty() ? "" : fmt::format(", did you mean {}?", quote_name(near))));
}

}  // namespace linn
