// The network of an expression as a graph (the paper's Figure 1).
#pragma once

#include <string>
#include <string_view>

namespace linn::app {

// In the DOT language: variables, the modules that join them in the order of the expression, and the comparison with
// true at the end. Throws InputError if the text is not an expression.
std::string network_drawing(std::string_view expression);

}  // namespace linn::app
