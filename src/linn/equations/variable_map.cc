#include "linn/equations/variable_map.h"

#include <fmt/format.h>

#include "linn/base/error.h"
#include "linn/base/options.h"
#include "linn/logic/print.h"

namespace linn {

VariableId find_variable(const Vocabulary& known, const std::string& name) {
  if (const auto id = known.find(name)) return *id;
  std::vector<std::string> names;
  for (VariableId id = 0; id < known.size(); ++id) names.push_back(known.name(id));
  const std::string near = nearest_word(name, names);
  throw InputError(fmt::format("the model does not know the variable {}{}", quote_name(name),
                               near.empty() ? "" : fmt::format(", did you mean {}?", quote_name(near))));
}

}  // namespace linn
