// Heat maps, as tables and as SVG.
#pragma once

#include <string>
#include <vector>

namespace linn::app {

// A square of values in [0, 1] with one label per row; the columns are the same in the same order.
struct HeatMap {
  std::vector<std::string> labels;
  std::vector<float> values;
};

// One header line with the labels, then one line per row. Labels in CSV are quoted where needed.
std::string to_table(const HeatMap& map, char separator);

// Rows are labelled and numbered, columns numbered. The title may be empty.
std::string to_svg(const HeatMap& map, const std::string& title = {});

}  // namespace linn::app
