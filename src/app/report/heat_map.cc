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
  std::string plain = text;  // tab-separated files have no quotes
  std::ranges::replace(plain, '\t', ' ');
  return plain;
}

// White (0), light blue, dark blue (1): darker means truer, also in greyscale.
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
  constexpr std::size_t kMargin = 12;
  constexpr std::size_t kLongest = 48;   // characters of a label
  constexpr std::size_t kCharacter = 7;  // its width at this font size, about
  const std::size_t n = map.labels.size();
  std::vector<std::string> labels;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    labels.push_back(fmt::format("{}\u00a0\u00a0\u00a0{}", printable(map.labels[i], kLongest), i + 1));
    longest = std::max(longest, count_characters(labels.back()));
  }
  const std::size_t left = kMargin + longest * kCharacter + kMargin;
  const std::size_t top = title.empty() ? kMargin : 40;
  const std::size_t bottom = top + n * kCell;
  std::string out =
      begin_svg(static_cast<double>(std::max(left + n * kCell + kMargin, kMargin + 8 * count_characters(title))),
                static_cast<double>(bottom + 28));
  if (!title.empty())
    out += fmt::format("<text x=\"{}\" y=\"24\" font-size=\"15\">{}</text>\n", kMargin, escape_html(title));
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t y = top + i * kCell;
    out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", left - kMargin, y + kCell / 2 + 4,
                       escape_html(labels[i]));
    out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", left + i * kCell + kCell / 2,
                       bottom + 18, i + 1);
    for (std::size_t j = 0; j < n; ++j) {
      const float value = map.values[i * n + j];
      const std::size_t x = left + j * kCell;
      out += fmt::format(
          "<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{2}\" fill=\"{3}\" stroke=\"white\"/>"
          "<text x=\"{4}\" y=\"{5}\" text-anchor=\"middle\" fill=\"{6}\">{7:.2f}</text>\n",
          x, y, kCell, colour(value), x + kCell / 2, y + kCell / 2 + 4, value > 0.6F ? "white" : "black", value);
    }
  }
  return out + "</svg>\n";
}

}  // namespace linn::app
