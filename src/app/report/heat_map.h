// Heat maps as tables and pictures.
#pragma once

#include <string>
#include <vector>

namespace linn::app {

// A square of values in [0, 1] with a label for each row and column.
struct HeatMap {
  std::vector<std::string> labels;
  std::vector<float> values;
};

// A header line with the labels, then one line per row. Labels are quoted where they hold the separator.
std::string to_table(const HeatMap& map, char separator);

// A picture that stands by itself.
std::string to_svg(const HeatMap& map, const std::string& title);

}  // namespace linn::app
