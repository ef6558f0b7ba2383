// Text inside of other languages: HTML, SVG and CSV.
#pragma once

#include <string>
#include <string_view>

namespace linn {

// With the characters that mean something in HTML and SVG written as entities.
std::string escape_html(std::string_view text);

// Quoted where it holds a comma, a quote or a line's end.
std::string csv_field(std::string_view text);

}  // namespace linn
