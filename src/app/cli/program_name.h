#pragma once

#include <string>

#include "linn/version.h"

namespace linn::app {

// The program as `linn --version` and reports name it, such as "linn 0.1.0 (1a2b3c4d5e6f)".
inline std::string program_name() { return "linn " + std::string(kVersion) + " (" + std::string(kCommit) + ")"; }

}  // namespace linn::app
