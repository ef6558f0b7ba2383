// Numbers in data files and in the recipes of generators.
#pragma once

#include <optional>
#include <string_view>

namespace linn {

// Parses a finite number that takes up the whole text.
std::optional<double> parse_number(std::string_view text);

// Throws InputError naming the setting unless the share is in [0, 1].
void check_share(std::string_view setting, double share);

}  // namespace linn
