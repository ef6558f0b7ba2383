// The network of an expression as a picture (the paper's Figure 1).
#pragma once

#include <string>
#include <string_view>

namespace linn::app {

// In the language of Graphviz: variables, the modules that join them as the expression is written, and the comparison
// with true at the end. Throws InputError for text that is no expression.
std::string network_drawing(std::string_view expression);

}  // namespace linn::app
