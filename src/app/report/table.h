// Tables of a report: what a paper has beside what was measured here.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace linn::app {

// A figure, its standard error where it is a mean of several runs, and whether it is marked as significantly better.
struct Estimate {
  double mean = 0.0;
  std::optional<double> error = std::nullopt;
  bool marked = false;
};

// The mean of some runs; nothing without any, no error with one.
std::optional<Estimate> estimate(std::span<const double> runs);

struct TableCell {
  std::optional<Estimate> ours;
  std::optional<Estimate> paper;
  std::size_t runs = 0;  // behind ours
  std::string text;      // in place of figures
  bool best = false;     // of its column
};

struct Table {
  struct Column {
    std::string name;
    int digits = 4;
    std::string group;  // a heading above it and its neighbours of the same group
  };
  struct Row {
    std::string name;
    std::vector<TableCell> cells;  // one for each column
    bool rule_above = false;       // a line that parts it from those before
  };
  std::string caption;
  std::string corner;  // above the names of the rows
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::string note;  // below
};

std::string to_html(const Table& table);

// A line for every cell: row, column, ours, its standard error, runs, the paper's, its error, marks.
std::string to_csv(const Table& table);

// As text for a document: ours, and the paper's in brackets.
std::string to_markdown(const Table& table);

}  // namespace linn::app
