// Titles for generated items.
#pragma once

#include <cstddef>
#include <string>

namespace linn {

// "The Amber Harbour", or "The Amber Harbour 2" once all pairs of words are used up: unique for every number.
std::string generated_title(std::size_t number);

}  // namespace linn
