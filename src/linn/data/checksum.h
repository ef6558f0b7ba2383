// Checksums of data sets: they tell whether a model would learn from the same data again. Titles do not count.
#pragma once

#include <string>

#include "linn/data/equations.h"
#include "linn/data/interactions.h"

namespace linn {

std::string checksum(const EquationData& data);
std::string checksum(const InteractionData& data);

// Of names in their order: whether vectors that are stored by number belong to the same users and items.
std::string checksum(const Vocabulary& users, const Vocabulary& items);

}  // namespace linn
