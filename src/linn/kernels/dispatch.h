// Which instruction sets the kernels can run on here.
//
// Every kernel is compiled once for each instruction set and picks the best one at run time. Tests and benchmarks go
// through the others by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace linn {

// Names of the instruction sets that are both compiled in and supported by this processor, the best first.
std::vector<std::string> supported_instruction_sets();

// The one that the kernels use at present.
std::string current_instruction_set();

// From now on all kernels of the process use the named instruction set; an empty name goes back to the best one.
// Returns false, and changes nothing, when the name is not a supported one. Not to be called while kernels run in
// other threads.
bool restrict_instruction_set(std::string_view name);

}  // namespace linn
