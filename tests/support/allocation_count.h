// Counts calls of operator new in the whole test program.
#pragma once

#include <cstddef>

namespace linn {

std::size_t allocation_count();

}  // namespace linn
