// Tables of a report: measured values beside those of the paper.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace linn::app {

// A value, its standard error if it is a mean of several runs, and whether it is marked as significantly better.
struct Estimate {
  double mean = 0.0;
  std::optional<double> error = std::nullopt;
  bool marked = false;
};

// The mean of the runs. Nothing if there are none; no error if there is one.
std::optional<Estimate> estimate(std::span<const double> runs);

struct TableCell {
  std::optional<Estimate> ours;
  std::optional<Estimate> paper;
  std::size_t runs = 0;  // behind `ours`
  std::string text;      // instead of values
  bool best = false;     // in its column
};

struct Table {
  struct Column {
    std::string name;
    int digits = 4;
    std::string group;  // heading shared with neighbouring columns of the same group
  };
  struct Row {
    std::string name;
    std::vector<TableCell> cells;  // one per column
    bool rule_above = false;       // draw a line above it
  };
  std::string caption;
  std::string corner;  // heading of the row names
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::string note;  // below the table
};

std::string to_html(const Table& table);

// One line per cell: row, column, our value, its standard error, runs, the paper's value, its error, marks.
std::string to_csv(const Table& table);

// Our value, and the paper's in brackets.
std::string to_markdown(const Table& table);

}  // namespace linn::app
