#include "app/report/plot.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <map>
#include <regex>
#include <string_view>

#include "app/process/child_process.h"
#include "app/report/markup.h"
#include "app/report/table.h"
#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/base/split.h"

namespace linn::app {
namespace {

// The colour-blind safe palette of Okabe and Ito without black and pale yellow. Markers differ, too, for greyscale.
constexpr std::array<const char*, 6> kColours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"};
constexpr std::array<int, 6> kPoints = {7, 5, 9, 13, 11, 6};

// A string literal for gnuplot. In double quotes, backquotes would run commands; in single quotes, only single quotes
// are special.
std::string gnuplot_text(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < ' ') continue;
    if (c == '\'') out += c;
    out += c;
  }
  return out + '\'';
}

// Tick labels are format strings.
std::string tick_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '%') out += c;
    out += c;
  }
  return gnuplot_text(out);
}

void add_axis(std::string& script, const char* axis, const PlotAxis& what) {
  auto out = std::back_inserter(script);
  fmt::format_to(out, "set {}label {}\n", axis, gnuplot_text(what.label));
  if (what.logarithmic) fmt::format_to(out, "set logscale {}\nset format {} '%g'\n", axis, axis);
  if (what.low || what.high) {
    fmt::format_to(out, "set {}range [{}:{}]\n", axis, what.low ? fmt::format("{}", *what.low) : "*",
                   what.high ? fmt::format("{}", *what.high) : "*");
  }
  if (!what.ticks.empty()) {
    fmt::format_to(out, "set {}tics (", axis);
    for (std::size_t i = 0; i < what.ticks.size(); ++i) {
      fmt::format_to(out, "{}{} {}", i == 0 ? "" : ", ", tick_text(what.ticks[i].second), what.ticks[i].first);
    }
    script += ")\n";
  }
}

std::string script_of(const Plot& plot, const std::filesystem::path& svg) {
  std::string script = fmt::format(
      "set encoding utf8\n"
      "set terminal svg size {},{} dynamic noenhanced font 'sans-serif,14'\n"
      "set output {}\n",
      plot.width, plot.height, gnuplot_text(svg.filename().string()));
  auto out = std::back_inserter(script);
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Series& series = plot.series[i];
    fmt::format_to(out, "$data{} << END\n", i);
    for (std::size_t k = 0; k < series.x.size(); ++k) {
      fmt::format_to(out, "{} {}", series.x[k], series.y[k]);
      if (!series.error.empty()) fmt::format_to(out, " {}", series.error[k]);
      script += '\n';
    }
    script += "END\n";
  }
  script +=
      "set border 3 linewidth 1\n"
      "set tics nomirror\n"
      "set grid linecolor rgb '#88888888' linewidth 0.5\n"
      "set key outside above center horizontal reverse Left samplen 2\n"
      "set errorbars 0.7\n";
  add_axis(script, "x", plot.x);
  add_axis(script, "y", plot.y);
  script += "plot ";
  // Error bars come first: gnuplot clears a disc behind each, which would cover lines and markers.
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    if (plot.series[i].error.empty()) continue;
    fmt::format_to(out,
                   "$data{} using 1:2:3 with yerrorbars linecolor rgb '{}' linewidth 1.5 pointsize 0 notitle, \\\n  ",
                   i, kColours[i % kColours.size()]);
  }
  // Long lines have a marker every few points, at the same interval in all series.
  std::size_t longest = 0;
  for (const Series& series : plot.series) longest = std::max(longest, series.x.size());
  const std::size_t interval = longest > 40 ? longest / 12 : 1;
  bool first = true;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Series& series = plot.series[i];
    if (series.x.empty()) continue;
    const char* colour = kColours[i % kColours.size()];
    const std::string title = series.name.empty() ? "notitle" : "title " + gnuplot_text(series.name);
    if (!first) script += ", \\\n  ";
    first = false;
    fmt::format_to(out, "$data{} using 1:2 with linespoints linecolor rgb '{}' linewidth 2 dashtype {} pointtype {} {}",
                   i, colour, series.dashed ? 2 : 1, kPoints[i % kPoints.size()],
                   interval > 1 ? fmt::format("pointinterval {} {}", interval, title) : title);
  }
  script += '\n';
  return script;
}

// Prefixes identifiers and references to them with the name, because several pictures share a page.
std::string for_page(std::string svg, const std::string& name) {
  const std::size_t begin = svg.find("<svg");
  if (begin == std::string::npos) throw Failure(name + ".svg holds no SVG picture");
  svg.erase(0, begin);
  // Comments and tooltips.
  svg = std::regex_replace(svg, std::regex("<!--[\\s\\S]*?-->|<title>[\\s\\S]*?</title>|<desc>[\\s\\S]*?</desc>"), "");
  svg = std::regex_replace(svg, std::regex("\\bid\\s*=\\s*([\"'])"), "id=$1" + name + "-");
  svg = std::regex_replace(svg, std::regex("url\\(#"), "url(#" + name + "-");
  svg = std::regex_replace(svg, std::regex("(href\\s*=\\s*[\"'])#"), "$1#" + name + "-");
  // gnuplot writes black as rgb( 0, 0, 0) and 'black', Graphviz as "black", and nothing for text.
  svg = std::regex_replace(
      svg, std::regex("((?:fill|stroke|color)\\s*=\\s*)([\"'])(?:black|#000000|rgb\\( *0, *0, *0\\))\\2"),
      "$1$2currentColor$2");
  svg = std::regex_replace(svg, std::regex("<svg "), "<svg fill=\"currentColor\" ",
                           std::regex_constants::format_first_only);
  return svg;
}

std::string draw_with(const std::string& program, const std::vector<std::string>& arguments,
                      const std::filesystem::path& folder, const std::string& name) {
  const std::filesystem::path log = folder / (name + ".log");
  const EndedChild ended = wait_for_child(start_child(program, arguments, log, log));
  std::string complaint = read_file(log);
  std::filesystem::remove(log);
  if (ended.status != 0) {
    // The last line is the message; those before it show where.
    while (!complaint.empty() && complaint.back() == '\n') complaint.pop_back();
    throw Failure(fmt::format("{} cannot draw {}: {}", program, name, complaint.substr(complaint.rfind('\n') + 1)));
  }
  return for_page(read_file(folder / (name + ".svg")), name);
}

bool in_search_path(const std::string& program) {
  const char* paths = std::getenv("PATH");
  if (paths == nullptr) return false;
  return std::ranges::any_of(split(paths, ':'), [&](std::string_view folder) {
    return access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0;
  });
}

}  // namespace

std::string draw(const Plot& plot, const std::filesystem::path& folder, const std::string& name) {
  const std::filesystem::path script = folder / (name + ".gp");
  const std::filesystem::path svg = folder / (name + ".svg");
  write_file(script, script_of(plot, svg));
  return draw_with("gnuplot", {"-e", fmt::format("cd {}", gnuplot_text(folder.string())), script.filename().string()},
                   folder, name);
}

std::string draw_graph(const std::string& graph, const std::filesystem::path& folder, const std::string& name) {
  const std::filesystem::path source = folder / (name + ".dot");
  write_file(source, graph);
  return draw_with("dot", {"-Tsvg", "-o", (folder / (name + ".svg")).string(), source.string()}, folder, name);
}

std::string missing_plot_tools() {
  const bool gnuplot = in_search_path("gnuplot");
  const bool graphviz = in_search_path("dot");
  if (gnuplot && graphviz) return {};
  const std::string missing = gnuplot ? "Graphviz is" : graphviz ? "gnuplot is" : "both are";
  return fmt::format("figures need gnuplot and Graphviz, and {} missing (Debian: apt install {}{}{})", missing,
                     gnuplot ? "" : "gnuplot-nox", gnuplot || graphviz ? "" : " ", graphviz ? "" : "graphviz");
}

std::string to_csv(const Plot& plot) {
  std::string csv = "series,x,y,error\n";
  auto out = std::back_inserter(csv);
  for (const Series& series : plot.series) {
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      fmt::format_to(out, "{},{:.6g},{:.6g},{}\n", csv_field(series.name), series.x[i], series.y[i],
                     series.error.empty() ? "" : fmt::format("{:.6g}", series.error[i]));
    }
  }
  return csv;
}

std::string to_markdown(const Plot& plot) {
  constexpr std::size_t kReadable = 12;
  Table table;
  table.corner = plot.x.label;
  std::map<double, Table::Row> rows;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Series& series = plot.series[i];
    if (series.x.size() > kReadable) return {};
    table.columns.push_back({series.name.empty() ? plot.y.label : series.name, 4, ""});
    for (std::size_t k = 0; k < series.x.size(); ++k) {
      Table::Row& row = rows[series.x[k]];
      row.cells.resize(plot.series.size());
      row.cells[i].ours = Estimate{series.y[k]};
      if (!series.error.empty()) row.cells[i].ours->error = series.error[k];
    }
  }
  for (auto& [x, row] : rows) {
    const auto tick = std::ranges::find(plot.x.ticks, x, [](const auto& place) { return place.first; });
    row.name = tick == plot.x.ticks.end() ? fmt::format("{:g}", x) : tick->second;
    table.rows.push_back(std::move(row));
  }
  return to_markdown(table);
}

}  // namespace linn::app
