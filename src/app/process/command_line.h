// This program as users name it and type it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace linn::app {

// Name, version and commit, such as "linn 0.1.0 (1a2b3c4d5e6f)".
std::string program_name();

// The text as one shell word, in single quotes.
std::string shell_quoted(std::string_view text);

// `linn` with these arguments, quoted so that it can be pasted into a shell.
std::string command_line(const std::vector<std::string>& arguments);

}  // namespace linn::app
