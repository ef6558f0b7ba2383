// Figures with axes, drawn by gnuplot as SVG.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace linn::app {

struct Series {
  enum class Style { kLine, kDashed, kPoints };
  std::string name;  // in the legend; empty: not there
  std::vector<double> x, y;
  std::vector<double> error;  // of each y, drawn as a bar; empty: none
  Style style = Style::kLine;
};

struct PlotAxis {
  std::string label;
  bool logarithmic = false;
  std::optional<double> low, high;
  // Words at places, in place of numbers.
  std::vector<std::pair<double, std::string>> ticks;
  bool hidden = false;
};

struct Plot {
  PlotAxis x, y;
  std::vector<Series> series;
  bool equal_scales = false;
  std::size_t width = 640, height = 380;
};

// A square of values in [0, 1], a name for each row and column.
struct HeatPlot {
  std::vector<std::string> labels;
  std::vector<float> values;
  std::size_t width = 720, height = 360;
};

// Writes NAME.gp, which anyone can change and run again, and NAME.svg beside it, and returns the SVG, ready to be put
// into a page: its identifiers begin with the name, and black is the colour of the text around it, so that it can be
// read on light and dark. Throws Failure if gnuplot is not there or does not take it.
std::string draw(const Plot& plot, const std::filesystem::path& folder, const std::string& name);
std::string draw(const HeatPlot& plot, const std::filesystem::path& folder, const std::string& name);

// A graph in the language of Graphviz, drawn by dot: NAME.dot and NAME.svg.
std::string draw_graph(const std::string& graph, const std::filesystem::path& folder, const std::string& name);

// What of the programs above cannot be found: a sentence that says what to install, or nothing.
std::string missing_plot_tools();

// The table behind a plot: series, x, y, error.
std::string to_csv(const Plot& plot);
std::string to_csv(const HeatPlot& plot);

// The same to be read, a column for each series; empty for a plot of more points than anybody would read.
std::string to_markdown(const Plot& plot);

}  // namespace linn::app
