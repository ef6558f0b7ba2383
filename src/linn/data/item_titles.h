// Titles for items that nobody has named.
#pragma once

#include <cstddef>
#include <string>

namespace linn {

// "The Amber Harbour", or "The Amber Harbour 2" when all pairs of words are used up: different for every number.
std::string made_up_title(std::size_t number);

}  // namespace linn
