// Text inside other languages: HTML, SVG, CSV and Markdown.
#pragma once

#include <string>
#include <string_view>

namespace linn::app {

// Escapes the characters that are special in HTML and SVG.
std::string escape_html(std::string_view text);

// The opening tag of an SVG picture and its white background, which pages of a report hide. Text has the colour of the
// text around the picture.
std::string begin_svg(double width, double height);

// Quotes the text if it contains a comma, a quote or a line break.
std::string csv_field(std::string_view text);

// Escapes vertical bars, which would end a table cell.
std::string markdown_cell(std::string_view text);

}  // namespace linn::app
