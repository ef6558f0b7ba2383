#include "app/report/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/report/markup.h"
#include "linn/base/utf8.h"

namespace linn::app {
namespace {

std::string table_field(const std::string& text, char separator) {
  if (separator == ',') return csv_field(text);
  std::string plain = text;  // a tab file has no quotes
  std::ranges::replace(plain, '\t', ' ');
  return plain;
}

// From white for 0 over light blue to dark blue for 1: darker for truer, also without colours.
std::string colour(float value) {
  constexpr std::array<std::array<double, 3>, 3> kStops = {{{255, 255, 255}, {107, 174, 214}, {8, 48, 107}}};
  const double at = 2.0 * std::clamp(static_cast<double>(value), 0.0, 1.0);
  const std::size_t stop = at < 1.0 ? 0 : 1;
  const double share = at - static_cast<double>(stop);
  const auto mix = [&](std::size_t i) {
    return static_cast<int>(std::lround(kStops[stop][i] + share * (kStops[stop + 1][i] - kStops[stop][i])));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2));
}

}  // namespace

std::string to_table(const HeatMap& map, char separator) {
  std::string out = "item";
  for (const std::string& label : map.labels) out += separator + table_field(label, separator);
  out += '\n';
  for (std::size_t i = 0; i < map.labels.size(); ++i) {
    out += table_field(map.labels[i], separator);
    for (std::size_t j = 0; j < map.labels.size(); ++j) {
      out += fmt::format("{}{:.6g}", separator, map.values[i * map.labels.size() + j]);
    }
    out += '\n';
  }
  return out;
}

std::string to_svg(const HeatMap& map, const std::string& title) {
  constexpr std::size_t kCell = 44;
  constexpr std::size_t kTop = 40;
  constexpr std::size_t kLabel = 28;  // characters
  constexpr std::size_t kLeft = 220;
  const std::size_t n = map.labels.size();
  const std::size_t width = kLeft + n * kCell + 20;
  const std::size_t height = kTop + n * kCell + 190;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<text x=\"10\" y=\"24\" font-size=\"15\">{2}</text>\n",
      width, height, escape_html(title));
  for (std::size_t i = 0; i < n; ++i) {
    const std::string label = escape_html(printable(map.labels[i], kLabel));
    const std::size_t y = kTop + i * kCell;
    out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", kLeft - 8, y + kCell / 2 + 4, label);
    const std::size_t x = kLeft + i * kCell + kCell / 2 + 4;
    const std::size_t bottom = kTop + n * kCell + 10;
    out += fmt::format("<text x=\"{0}\" y=\"{1}\" text-anchor=\"end\" transform=\"rotate(-90 {0} {1})\">{2}</text>\n",
                       x, bottom, label);
    for (std::size_t j = 0; j < n; ++j) {
      const float value = map.values[i * n + j];
      const std::size_t left = kLeft + j * kCell;
      out += fmt::format(
          "<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{2}\" fill=\"{3}\" stroke=\"white\"/>"
          "<text x=\"{4}\" y=\"{5}\" text-anchor=\"middle\" fill=\"{6}\">{7:.2f}</text>\n",
          left, y, kCell, colour(value), left + kCell / 2, y + kCell / 2 + 4, value > 0.6F ? "white" : "black", value);
    }
  }
  return out + "</svg>\n";
}

}  // namespace linn::app
