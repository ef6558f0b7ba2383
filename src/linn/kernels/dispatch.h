// The instruction sets on which the kernels can run here.
//
// Every kernel is compiled for each instruction set and picks the best one at run time. Tests select the others by
// name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace linn {

// Names of the instruction sets that are both compiled in and supported by this processor, the best first.
std::vector<std::string> supported_instruction_sets();

// The one that the kernels use now.
std::string current_instruction_set();

// From now on all kernels of the process use the named instruction set; an empty name restores the best one. Returns
// false and changes nothing if the name is not supported. Do not call it while kernels run in other threads.
bool restrict_instruction_set(std::string_view name);

}  // namespace linn
