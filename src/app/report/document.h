// A report: one self-contained HTML page, with the data of its tables and figures in files beside it.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/report/heat_map.h"
#include "app/report/plot.h"
#include "app/report/scatter_plot.h"
#include "app/report/table.h"

namespace linn::app {

class ReportSection {
 public:
  // The name is used for files and links, such as "table-2": lower-case letters, digits and dashes.
  ReportSection(std::string name, std::string title) : name_(std::move(name)), title_(std::move(title)) {}

  const std::string& name() const { return name_; }
  const std::string& title() const { return title_; }

  void add_text(std::string paragraph) { parts_.emplace_back(Paragraph{std::move(paragraph)}); }
  void add_table(Table table) { parts_.emplace_back(std::move(table)); }
  // The description is the text alternative, and replaces a plot without data. Small figures stand side by side.
  void add_figure(Plot plot, std::string description, std::string caption = {}, bool small = false);
  void add_figure(const HeatMap& map, std::string description, std::string caption = {}, bool small = false);
  void add_figure(const ScatterPlot& plot, std::string description, std::string caption = {}, bool small = false);
  // A graph in the DOT language.
  void add_graph(std::string graph, std::string description, std::string caption = {}, bool small = false);
  // A command line that makes this section or a part of it.
  void add_command(std::string command) { commands_.push_back(std::move(command)); }

 private:
  friend class Report;

  struct Graph {
    std::string text;
  };
  struct Picture {
    std::string svg, csv;
  };
  struct Figure {
    std::variant<Plot, Picture, Graph> content;
    std::string description, caption;
    bool small = false;
  };
  struct Paragraph {
    std::string text;
  };

  std::string name_, title_;
  std::vector<std::variant<Paragraph, Table, Figure>> parts_;
  std::vector<std::string> commands_;
};

// Where a report goes: REPORT.html with the folder REPORT beside it, or a folder with index.html in it. Throws
// InputError if the folder holds a run.
struct ReportPlace {
  explicit ReportPlace(const std::filesystem::path& out);
  std::filesystem::path page;
  std::filesystem::path folder;
};

class Report {
 public:
  Report(std::string title, std::string subtitle) : title_(std::move(title)), subtitle_(std::move(subtitle)) {}

  // Adds a line to the list of facts at the top.
  void add_fact(std::string name, std::string value) { facts_.emplace_back(std::move(name), std::move(value)); }
  // Adds the facts command, program, date and machine.
  void add_origin(const std::vector<std::string>& command);
  void add_section(ReportSection section) { sections_.push_back(std::move(section)); }

  // Writes the page, and into the folder `beside` the figures, one CSV file per table and figure, and results.md, the
  // report as Markdown. A figure that cannot be drawn is replaced by a message; returns these messages.
  std::vector<std::string> write(const std::filesystem::path& page, const std::filesystem::path& beside) const;

 private:
  std::string title_, subtitle_;
  std::vector<std::pair<std::string, std::string>> facts_;
  std::vector<ReportSection> sections_;
};

}  // namespace linn::app
