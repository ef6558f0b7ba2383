// Guesses which column was meant where the one that is needed is missing.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linn/data/import.h"

namespace linn {

// The one of `columns` that resembles a word for the field, or one of its `usual` names, most. Those that other fields
// have `taken`, or that rather resemble a word for another field, do not count; empty if there is no other.
std::string nearest_column(std::span<const std::string> columns, const std::vector<bool>& taken, RatingField field,
                           std::span<const std::string_view> usual);

// The name of a column without the type that RecBole appends.
std::string_view untyped(std::string_view name);

}  // namespace linn
