// Reads the body of a request: JSON (RFC 8259) of bounded depth, in which no object has a name twice.
#pragma once

#include <string>

#include "linn/base/json.h"

namespace linn::app {

// Throws Problem 400 with line and column.
Json parse_body(const std::string& text);

}  // namespace linn::app
