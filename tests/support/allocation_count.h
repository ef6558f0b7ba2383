// Counts calls of operator new in the whole test program.
#pragma once

#include <cstddef>

namespace linn {

std::size_t allocation_count();

// The sum of the requested sizes. Freed memory stays counted.
std::size_t allocated_bytes();

}  // namespace linn
