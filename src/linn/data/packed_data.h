// Data sets as bytes, for processes of the same program that get them from another one.
#pragma once

#include <string>
#include <string_view>

#include "linn/data/equations.h"
#include "linn/data/interactions.h"

namespace linn {

// Everything, with the same numbers of users, items, variables and expressions.
std::string pack(const InteractionData& data);
std::string pack(const EquationData& data);

// The opposite; the bytes must come from pack().
void unpack(std::string_view bytes, InteractionData& data);
void unpack(std::string_view bytes, EquationData& data);

}  // namespace linn
