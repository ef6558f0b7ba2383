// Counts calls of operator new in the test program.
#pragma once

#include <cstddef>

namespace linn {

std::size_t allocation_count();

// The sum of all requested sizes, including memory that was freed since.
std::size_t allocated_bytes();

}  // namespace linn
