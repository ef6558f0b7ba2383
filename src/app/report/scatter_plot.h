// Points of the plane in groups, as SVG and as a table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace linn::app {

struct ScatterGroup {
  std::string name;
  std::string colour;  // an SVG colour
};

struct ScatterPlot {
  std::vector<double> xy;            // x and y of each point
  std::vector<std::uint8_t> groups;  // of each point
  std::vector<ScatterGroup> legend;
};

// One dot per point in the colour of its group, and a legend of the groups that have points. Both directions have the
// same scale, and there are no axes.
std::string to_svg(const ScatterPlot& plot);

// One line per point: group, x, y.
std::string to_csv(const ScatterPlot& plot);

}  // namespace linn::app
