// From the variables of a pool to those of a model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "linn/logic/vocabulary.h"

namespace linn {

// Throws InputError for a variable that a model does not know, naming the nearest one.
VariableId find_variable(const Vocabulary& known, const std::string& name);

// The variables of a pool as a model numbers them, looked up as they are met. Both vocabularies must outlive it.
class VariableMap {
 public:
  VariableMap(const Vocabulary& from, const Vocabulary& to) : from_(from), to_(to), known_(from.size()) {}

  // Throws InputError for a variable that the model does not know.
  VariableId operator()(VariableId id) {
    if (!known_[id]) known_[id] = find_variable(to_, from_.name(id));
    return *known_[id];
  }

 private:
  const Vocabulary& from_;
  const Vocabulary& to_;
  std::vector<std::optional<VariableId>> known_;
};

}  // namespace linn
