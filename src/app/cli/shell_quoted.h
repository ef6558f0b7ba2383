#pragma once

#include <string>
#include <string_view>

namespace linn::app {

// As one word for a shell, in single quotes.
std::string shell_quoted(std::string_view text);

}  // namespace linn::app
