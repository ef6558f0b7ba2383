#include "app/report/scatter_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <iterator>

#include "app/report/markup.h"

namespace linn::app {
namespace {

constexpr double kSize = 600.0;   // width and height of the area with the points
constexpr double kMargin = 20.0;  // around it
constexpr double kLegend = 30.0;  // height of the legend below it

}  // namespace

std::string to_svg(const ScatterPlot& plot) {
  const auto& [xy, group, groups] = plot;
  assert(xy.size() == 2 * group.size());
  double low[2] = {0.0, 0.0};
  double high[2] = {0.0, 0.0};
  for (std::size_t i = 0; i < xy.size(); ++i) {
    low[i % 2] = i < 2 ? xy[i] : std::min(low[i % 2], xy[i]);
    high[i % 2] = i < 2 ? xy[i] : std::max(high[i % 2], xy[i]);
  }
  const double extent = std::max({high[0] - low[0], high[1] - low[1], 1e-300});
  const double scale = kSize / extent;
  const auto place = [&, &points = plot.xy](std::size_t i) {
    const double middle = 0.5 * (low[i % 2] + high[i % 2]);
    const double offset = scale * (points[i] - middle);
    // SVG counts y downwards.
    return kMargin + 0.5 * kSize + (i % 2 == 0 ? offset : -offset);
  };

  const double width = kSize + 2 * kMargin;
  const double height = width + kLegend;
  std::string svg = begin_svg(width, height);
  auto out = std::back_inserter(svg);
  const double radius = group.size() > 3000 ? 1.5 : 2.5;
  double legend_x = kMargin;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto points = std::ranges::count(group, static_cast<std::uint8_t>(g));
    if (points == 0) continue;
    fmt::format_to(out, "<g fill=\"{}\" fill-opacity=\"0.7\">\n", escape_html(groups[g].colour));
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (group[i] != g) continue;
      fmt::format_to(out, "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>\n", place(2 * i), place(2 * i + 1), radius);
    }
    svg += "</g>\n";
    const std::string text = fmt::format("{} ({})", groups[g].name, points);
    fmt::format_to(out, "<circle cx=\"{}\" cy=\"{}\" r=\"5\" fill=\"{}\"/>\n", legend_x + 5.0, width + 5.0,
                   escape_html(groups[g].colour));
    fmt::format_to(out, "<text x=\"{}\" y=\"{}\" font-size=\"14\">{}</text>\n", legend_x + 16.0, width + 10.0,
                   escape_html(text));
    legend_x += 36.0 + 8.0 * static_cast<double>(text.size());
  }
  return svg + "</svg>\n";
}

std::string to_csv(const ScatterPlot& plot) {
  std::string csv = "group,x,y\n";
  for (std::size_t i = 0; i < plot.groups.size(); ++i) {
    csv += fmt::format("{},{:.6g},{:.6g}\n", csv_field(plot.legend[plot.groups[i]].name), plot.xy[2 * i],
                       plot.xy[2 * i + 1]);
  }
  return csv;
}

}  // namespace linn::app
