// From the variables of a pool to those of a model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "linn/logic/vocabulary.h"

namespace linn {

// The variables of a pool as a model numbers them, looked up as they are met. Both vocabularies must outlive it.
class VariableMap {
 public:
  VariableMap(const Vocabulary& from, const Vocabulary& to) : from_(from), to_(to), known_(from.size()) {}

  // Throws InputError for a variable that the model does not know, naming the nearest one.
  VariableId operator()(VariableId id) {
    if (!known_[id]) known_[id] = find(from_.name(id));
    return *known_[id];
  }

 private:
  VariableId find(const std::string& name) const;

  const Vocabulary& from_;
  const Vocabulary& to_;
  std::vector<std::optional<VariableId>> known_;
};

}  // namespace linn
