// Text inside of other languages: HTML, SVG, CSV and Markdown.
#pragma once

#include <string>
#include <string_view>

namespace linn::app {

// With the characters that mean something in HTML and SVG written as entities.
std::string escape_html(std::string_view text);

// Quoted where it holds a comma, a quote or a line's end.
std::string csv_field(std::string_view text);

// With a backslash before every bar, which would end a cell of a table.
std::string markdown_cell(std::string_view text);

}  // namespace linn::app
