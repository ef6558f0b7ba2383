// Curves, drawn as SVG by gnuplot, and graphs, drawn by Graphviz.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace linn::app {

struct Series {
  std::string name;  // in the legend; empty: no entry
  std::vector<double> x, y;
  std::vector<double> error = {};  // of each y, drawn as an error bar; empty: none
  bool dashed = false;
};

struct PlotAxis {
  std::string label;
  bool logarithmic = false;
  std::optional<double> low, high;
  std::vector<std::pair<double, std::string>> ticks;  // replace the numbers at the axis; empty: numbers
};

struct Plot {
  PlotAxis x, y;
  std::vector<Series> series;
  std::size_t width = 640, height = 380;
};

// Writes NAME.gp, a script that can be edited and run again, and NAME.svg, and returns the SVG for use inside a page:
// its identifiers are prefixed with the name, and black becomes the colour of the surrounding text, so that it is
// readable on light and dark pages. Throws Failure if gnuplot is missing or fails.
std::string draw(const Plot& plot, const std::filesystem::path& folder, const std::string& name);

// Draws a graph in the DOT language: NAME.dot and NAME.svg.
std::string draw_graph(const std::string& graph, const std::filesystem::path& folder, const std::string& name);

// Says which of gnuplot and Graphviz is missing and how to install it; empty if both are there.
std::string missing_plot_tools();

// One line per point: series, x, y, error.
std::string to_csv(const Plot& plot);

// One column per series; empty for a plot with too many points to read.
std::string to_markdown(const Plot& plot);

}  // namespace linn::app
