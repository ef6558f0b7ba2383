// A report: one HTML file that needs nothing else, with the data of its tables and figures beside it.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/report/plot.h"
#include "app/report/table.h"

namespace linn::app {

// A table or figure with what belongs to it.
class ReportSection {
 public:
  // The name is that of its files and of its place in the page, such as "table-2": small letters, digits and dashes.
  ReportSection(std::string name, std::string title) : name_(std::move(name)), title_(std::move(title)) {}

  const std::string& name() const { return name_; }
  const std::string& title() const { return title_; }

  void add_text(std::string paragraph) { parts_.emplace_back(Paragraph{std::move(paragraph)}); }
  void add_table(Table table) { parts_.emplace_back(std::move(table)); }
  // Drawn when the report is written; `says` is read to those who cannot see it, and stands in the place of a plot that
  // has no data. Small ones stand side by side.
  void add_figure(Plot plot, std::string says, std::string caption = {}, bool small = false);
  void add_figure(HeatPlot plot, std::string says, std::string caption = {}, bool small = false);
  void add_graph(std::string graph, std::string says, std::string caption = {}, bool small = false);
  // As it would be typed.
  void add_command(std::string command) { commands_.push_back(std::move(command)); }

 private:
  friend class Report;

  struct Graph {
    std::string text;
  };
  struct Figure {
    std::variant<Plot, HeatPlot, Graph> what;
    std::string says, caption;
    bool small = false;
  };
  struct Paragraph {
    std::string text;
  };

  std::string name_, title_;
  std::vector<std::variant<Paragraph, Table, Figure>> parts_;
  std::vector<std::string> commands_;
};

class Report {
 public:
  Report(std::string title, std::string subtitle) : title_(std::move(title)), subtitle_(std::move(subtitle)) {}

  // A line of the list of facts at the head, such as the date.
  void add_fact(std::string name, std::string value) { facts_.emplace_back(std::move(name), std::move(value)); }
  void add_section(ReportSection section) { sections_.push_back(std::move(section)); }

  // Draws the figures into the folder `beside`, with a CSV file for every table and figure, and writes the page, which
  // links to the CSV files, and the tables once more as Markdown (results.md in the folder). What cannot be drawn is
  // said in its place; returns what was, a line each.
  std::vector<std::string> write(const std::filesystem::path& page, const std::filesystem::path& beside) const;

 private:
  std::string title_, subtitle_;
  std::vector<std::pair<std::string, std::string>> facts_;
  std::vector<ReportSection> sections_;
};

}  // namespace linn::app
