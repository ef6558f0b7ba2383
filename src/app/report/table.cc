#include "app/report/table.h"

#include <fmt/format.h>

#include <iterator>

#include "app/report/markup.h"
#include "linn/metrics/ranking_metrics.h"

namespace linn::app {
namespace {

constexpr const char* kMissing = "–";

std::string figure(const Estimate& estimate, int digits) {
  std::string text = fmt::format("{:.{}f}", estimate.mean, digits);
  if (estimate.error) text += fmt::format(" ± {:.{}f}", *estimate.error, digits);
  if (estimate.marked) text += '*';
  return text;
}

bool has_groups(const Table& table) {
  for (const Table::Column& column : table.columns) {
    if (!column.group.empty()) return true;
  }
  return false;
}

// Whether a column holds text and no values.
bool has_words(const Table& table, std::size_t column) {
  bool words = false;
  for (const Table::Row& row : table.rows) {
    const TableCell& cell = row.cells[column];
    if (cell.text.empty() && (cell.ours || cell.paper)) return false;
    words = words || !cell.text.empty();
  }
  return words;
}

std::string heading_html(const Table& table) {
  std::string html = "<thead>";
  auto out = std::back_inserter(html);
  const bool groups = has_groups(table);
  if (groups) {
    fmt::format_to(out, "<tr><th rowspan=\"2\" scope=\"col\">{}</th>", escape_html(table.corner));
    for (std::size_t i = 0; i < table.columns.size();) {
      std::size_t end = i + 1;
      while (end < table.columns.size() && table.columns[end].group == table.columns[i].group) ++end;
      if (table.columns[i].group.empty()) {
        fmt::format_to(out, "<td colspan=\"{}\"></td>", end - i);
      } else {
        fmt::format_to(out, "<th colspan=\"{}\" scope=\"colgroup\">{}</th>", end - i,
                       escape_html(table.columns[i].group));
      }
      i = end;
    }
    html += "</tr><tr>";
  } else {
    fmt::format_to(out, "<tr><th scope=\"col\">{}</th>", escape_html(table.corner));
  }
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    fmt::format_to(out, "<th scope=\"col\"{}>{}</th>", has_words(table, i) ? " class=\"text\"" : "",
                   escape_html(table.columns[i].name));
  }
  return html + "</tr></thead>";
}

std::string cell_html(const TableCell& cell, int digits, bool words) {
  if (words || !cell.text.empty())
    return fmt::format("<td class=\"text\">{}</td>", cell.text.empty() ? kMissing : escape_html(cell.text));
  std::string html = "<td>";
  if (cell.ours) {
    const std::string ours = figure(*cell.ours, digits);
    html += cell.best ? fmt::format("<b>{}</b>", ours) : fmt::format("<span>{}</span>", ours);
  } else if (!cell.paper) {
    html += kMissing;
  } else {
    html += "<span class=\"missing\">not run</span>";
  }
  if (cell.paper) html += fmt::format("<small>paper {}</small>", figure(*cell.paper, digits));
  return html + "</td>";
}

std::string optional_number(const std::optional<double>& value) { return value ? fmt::format("{:.6g}", *value) : ""; }

}  // namespace

std::optional<Estimate> estimate(std::span<const double> runs) {
  if (runs.empty()) return std::nullopt;
  const MeanAndError figures = mean_and_error(runs);
  Estimate result{figures.mean};
  if (runs.size() > 1) result.error = figures.error;
  return result;
}

std::string to_html(const Table& table) {
  std::string html = "<div class=\"scroll\"><table>";
  auto out = std::back_inserter(html);
  if (!table.caption.empty()) fmt::format_to(out, "<caption>{}</caption>", escape_html(table.caption));
  html += heading_html(table) + "<tbody>";
  for (const Table::Row& row : table.rows) {
    fmt::format_to(out, "<tr{}><th scope=\"row\">{}</th>", row.rule_above ? " class=\"rule\"" : "",
                   escape_html(row.name));
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      html += cell_html(row.cells[i], table.columns[i].digits, has_words(table, i));
    }
    html += "</tr>\n";
  }
  html += "</tbody></table></div>\n";
  if (!table.note.empty()) fmt::format_to(out, "<p class=\"note\">{}</p>\n", escape_html(table.note));
  return html;
}

std::string to_csv(const Table& table) {
  std::string csv = "row,column,ours,error,runs,marked,paper,paper_error,paper_marked,text\n";
  auto out = std::back_inserter(csv);
  for (const Table::Row& row : table.rows) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const TableCell& cell = row.cells[i];
      const Table::Column& column = table.columns[i];
      const std::string name = column.group.empty() ? column.name : column.group + " " + column.name;
      fmt::format_to(out, "{},{},", csv_field(row.name), csv_field(name));
      if (cell.ours) {
        fmt::format_to(out, "{:.6g},{},{},{:d},", cell.ours->mean, optional_number(cell.ours->error), cell.runs,
                       cell.ours->marked);
      } else {
        csv += ",,,,";
      }
      if (cell.paper) {
        fmt::format_to(out, "{:.6g},{},{:d},", cell.paper->mean, optional_number(cell.paper->error),
                       cell.paper->marked);
      } else {
        csv += ",,,";
      }
      csv += csv_field(cell.text) + '\n';
    }
  }
  return csv;
}

std::string to_markdown(const Table& table) {
  std::string text = table.caption.empty() ? "" : table.caption + "\n\n";
  text += "| " + markdown_cell(table.corner) + " |";
  auto out = std::back_inserter(text);
  for (const Table::Column& column : table.columns) {
    fmt::format_to(out, " {}{}{} |", markdown_cell(column.group), column.group.empty() ? "" : " ",
                   markdown_cell(column.name));
  }
  text += "\n| --- |";
  for (std::size_t i = 0; i < table.columns.size(); ++i) text += " --- |";
  text += '\n';
  for (const Table::Row& row : table.rows) {
    if (row.rule_above) {  // an empty row, as Markdown has no rules
      text += "|";
      for (std::size_t i = 0; i <= table.columns.size(); ++i) text += " |";
      text += '\n';
    }
    fmt::format_to(out, "| {} |", markdown_cell(row.name));
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const TableCell& cell = row.cells[i];
      const int digits = table.columns[i].digits;
      std::string figures = markdown_cell(cell.text);
      if (cell.ours) figures = (cell.best ? "**" : "") + figure(*cell.ours, digits) + (cell.best ? "**" : "");
      if (cell.paper) figures += fmt::format("{}({})", figures.empty() ? "" : " ", figure(*cell.paper, digits));
      fmt::format_to(out, " {} |", figures.empty() ? kMissing : figures);
    }
    text += '\n';
  }
  if (!table.note.empty()) text += "\n" + table.note + "\n";
  return text;
}

}  // namespace linn::app
