#include "linn/report/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "linn/base/file.h"
#include "linn/report/page_style.h"
#include "linn/report/text.h"

namespace linn {
namespace {

// A file of the report, as the page names it.
std::string link_to(const std::filesystem::path& page, const std::filesystem::path& file) {
  std::filesystem::path folder = page.parent_path();
  if (folder.empty()) folder = ".";
  return file.lexically_proximate(folder).generic_string();
}

}  // namespace

void ReportSection::add_text(const std::string& paragraph) {
  Part part;
  part.text = paragraph;
  parts_.push_back(std::move(part));
}

void ReportSection::add_table(const Table& table) {
  Part part;
  part.kind = Part::Kind::kTable;
  part.table = table;
  parts_.push_back(std::move(part));
}

void ReportSection::add(Figure figure) {
  Part part;
  part.kind = Part::Kind::kFigure;
  part.figure = std::move(figure);
  parts_.push_back(std::move(part));
}

void ReportSection::add_figure(Plot plot, std::string says, std::string caption, bool small) {
  if (std::ranges::all_of(plot.series, [](const Series& series) { return series.x.empty(); })) {
    add_text(says + ": not run yet.");
    return;
  }
  Figure figure;
  figure.plot = std::move(plot);
  figure.says = std::move(says);
  figure.caption = std::move(caption);
  figure.small = small;
  add(std::move(figure));
}

void ReportSection::add_figure(HeatPlot plot, std::string says, std::string caption, bool small) {
  Figure figure;
  figure.kind = Figure::Kind::kHeat;
  figure.heat = std::move(plot);
  figure.says = std::move(says);
  figure.caption = std::move(caption);
  figure.small = small;
  add(std::move(figure));
}

void ReportSection::add_graph(std::string graph, std::string says, std::string caption, bool small) {
  Figure figure;
  figure.kind = Figure::Kind::kGraph;
  figure.graph = std::move(graph);
  figure.says = std::move(says);
  figure.caption = std::move(caption);
  figure.small = small;
  add(std::move(figure));
}

void Report::write(const std::filesystem::path& page, const std::filesystem::path& beside) const {
  std::filesystem::create_directories(beside);
  std::string html;
  std::string markdown = fmt::format("# {}\n\n{}\n\n", title_, subtitle_);
  auto out = std::back_inserter(html);
  auto text = std::back_inserter(markdown);
  fmt::format_to(out,
                 "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                 "<link rel=\"icon\" href=\"data:,\">\n<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n"
                 "<header><h1>{0}</h1><p>{2}</p>\n<dl class=\"facts\">\n",
                 escape_html(title_), kPageStyle, escape_html(subtitle_));
  for (const auto& [name, value] : facts_) {
    fmt::format_to(out, "<dt>{}</dt><dd>{}</dd>\n", escape_html(name), escape_html(value));
    fmt::format_to(text, "- {}: {}\n", name, value);
  }
  html += "</dl></header>\n<nav aria-label=\"Contents\"><ol>\n";
  for (const ReportSection& section : sections_) {
    fmt::format_to(out, "<li><a href=\"#{}\">{}</a></li>\n", section.name(), escape_html(section.title()));
  }
  html += "</ol></nav>\n<main>\n";

  for (const ReportSection& section : sections_) {
    fmt::format_to(out, "<section id=\"{}\">\n<h2>{}</h2>\n", section.name(), escape_html(section.title()));
    fmt::format_to(text, "\n## {}\n\n", section.title());
    std::vector<std::filesystem::path> files;
    bool in_figures = false;
    std::size_t tables = 0;
    std::size_t figures = 0;
    for (const ReportSection::Part& part : section.parts_) {
      const bool figure = part.kind == ReportSection::Part::Kind::kFigure;
      if (figure != in_figures) html += figure ? "<div class=\"figures\">\n" : "</div>\n";
      in_figures = figure;
      // The first table is NAME.csv, and so is the first figure where there is no table.
      const auto file_name = [&](std::size_t number, const char* what) {
        return number == 1 ? section.name() : fmt::format("{}-{}{}", section.name(), what, number);
      };
      switch (part.kind) {
        case ReportSection::Part::Kind::kText:
          fmt::format_to(out, "<p>{}</p>\n", escape_html(part.text));
          fmt::format_to(text, "{}\n\n", part.text);
          break;
        case ReportSection::Part::Kind::kTable:
          html += to_html(part.table);
          fmt::format_to(text, "{}\n", to_markdown(part.table));
          files.push_back(beside / (file_name(++tables, "") + ".csv"));
          write_file(files.back(), to_csv(part.table));
          break;
        case ReportSection::Part::Kind::kFigure: {
          const ReportSection::Figure& what = part.figure;
          const std::string name = file_name(++figures, "figure-");
          std::string svg;
          using Kind = ReportSection::Figure::Kind;
          if (what.kind == Kind::kGraph) {
            svg = draw_graph(what.graph, beside, name);
          } else {
            svg = what.kind == Kind::kPlot ? draw(what.plot, beside, name) : draw(what.heat, beside, name);
            files.push_back(beside / (name + (tables > 0 && figures == 1 ? "-figure" : "") + ".csv"));
            write_file(files.back(), what.kind == Kind::kPlot ? to_csv(what.plot) : to_csv(what.heat));
          }
          fmt::format_to(out, "<figure{} role=\"img\" aria-label=\"{}\">\n{}", what.small ? "" : " class=\"wide\"",
                         escape_html(what.says), svg);
          if (!what.caption.empty()) fmt::format_to(out, "<figcaption>{}</figcaption>", escape_html(what.caption));
          html += "</figure>\n";
          break;
        }
      }
    }
    if (in_figures) html += "</div>\n";
    html += "<footer class=\"made\">";
    if (!files.empty()) html += "Data:";
    for (const auto& file : files) {
      fmt::format_to(out, " <a href=\"{}\">{}</a>", escape_html(link_to(page, file)), file.filename().string());
    }
    if (!section.commands_.empty()) {
      fmt::format_to(out, "<pre>{}</pre>", escape_html(section.commands_.front()));
      fmt::format_to(text, "`{}`\n", section.commands_.front());
    }
    if (section.commands_.size() > 1) {
      fmt::format_to(out, "<details><summary>{} commands behind it</summary><pre>", section.commands_.size() - 1);
      for (std::size_t i = 1; i < section.commands_.size(); ++i) html += escape_html(section.commands_[i]) + '\n';
      html += "</pre></details>";
    }
    html += "</footer>\n</section>\n";
  }
  html += "</main>\n</body>\n</html>\n";
  write_file(beside / "results.md", markdown);
  write_file(page, html);
}

}  // namespace linn
