#include "app/report/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "app/report/markup.h"
#include "app/report/page_style.h"
#include "linn/base/error.h"
#include "linn/base/file.h"

namespace linn::app {
namespace {

// A file of the report, as the page names it: its path from there, with what means something in an address encoded.
std::string link_to(const std::filesystem::path& page, const std::filesystem::path& file) {
  const std::filesystem::path folder = page.has_parent_path() ? page.parent_path() : ".";
  std::string link;
  for (const char c : file.lexically_proximate(folder).generic_string()) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || std::string_view("/-_.~").find(c) != std::string_view::npos) {
      link += c;
    } else {
      link += fmt::format("%{:02X}", byte);
    }
  }
  return link;
}

// Says to those who cannot see it what a picture shows.
std::string labelled(std::string svg, const std::string& says) {
  constexpr std::string_view kStart = "<svg ";
  return svg.insert(svg.find(kStart) + kStart.size(),
                    fmt::format("role=\"img\" aria-label=\"{}\" ", escape_html(says)));
}

}  // namespace

void ReportSection::add_figure(Plot plot, std::string says, std::string caption, bool small) {
  if (std::ranges::all_of(plot.series, [](const Series& series) { return series.x.empty(); })) {
    add_text(says + ": not run yet.");
    return;
  }
  parts_.emplace_back(Figure{std::move(plot), std::move(says), std::move(caption), small});
}

void ReportSection::add_figure(HeatPlot plot, std::string says, std::string caption, bool small) {
  parts_.emplace_back(Figure{std::move(plot), std::move(says), std::move(caption), small});
}

void ReportSection::add_graph(std::string graph, std::string says, std::string caption, bool small) {
  parts_.emplace_back(Figure{Graph{std::move(graph)}, std::move(says), std::move(caption), small});
}

// Writes the pieces of a page, a section at a time, and the files that belong to it.
class PageWriter {
 public:
  PageWriter(const std::filesystem::path& page, const std::filesystem::path& beside) : page_(page), beside_(beside) {}

  void write_head(const std::string& title, const std::string& subtitle,
                  const std::vector<std::pair<std::string, std::string>>& facts) {
    fmt::format_to(html(),
                   "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<link rel=\"icon\" href=\"data:,\">\n<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n"
                   "<header><h1>{0}</h1><p>{2}</p>\n<dl class=\"facts\">\n",
                   escape_html(title), kPageStyle, escape_html(subtitle));
    fmt::format_to(markdown(), "# {}\n\n{}\n\n", title, subtitle);
    for (const auto& [name, value] : facts) {
      fmt::format_to(html(), "<dt>{}</dt><dd>{}</dd>\n", escape_html(name), escape_html(value));
      fmt::format_to(markdown(), "- {}: {}\n", name, value);
    }
    html_ += "</dl></header>\n";
  }

  void write_contents(const std::vector<ReportSection>& sections) {
    html_ += "<nav aria-label=\"Contents\"><ol>\n";
    for (const ReportSection& section : sections) {
      fmt::format_to(html(), "<li><a href=\"#{}\">{}</a></li>\n", section.name(), escape_html(section.title()));
    }
    html_ += "</ol></nav>\n<main>\n";
  }

  void begin_section(const std::string& name, const std::string& title) {
    section_ = name;
    tables_ = figures_ = 0;
    files_.clear();
    fmt::format_to(html(), "<section id=\"{}\">\n<h2>{}</h2>\n", name, escape_html(title));
    fmt::format_to(markdown(), "\n## {}\n\n", title);
  }

  void add_paragraph(const std::string& text) {
    close_figures();
    fmt::format_to(html(), "<p>{}</p>\n", escape_html(text));
    fmt::format_to(markdown(), "{}\n\n", text);
  }

  void add(const Table& table) {
    close_figures();
    html_ += to_html(table);
    fmt::format_to(markdown(), "{}\n", to_markdown(table));
    ++tables_;
    add_file(tables_ == 1 ? section_ : fmt::format("{}-{}", section_, tables_), to_csv(table));
  }

  // `draw_it` returns the picture of a name.
  template <class Draw>
  void add_figure(const std::string& says, const std::string& caption, bool small, Draw draw_it) {
    if (!in_figures_) html_ += "<div class=\"figures\">\n";
    in_figures_ = true;
    std::string svg;
    try {
      svg = labelled(draw_it(figure_name()), says);
    } catch (const Failure& failure) {
      complaints_.emplace_back(failure.what());
      svg = fmt::format("<p class=\"note\">{}</p>", escape_html(failure.what()));
    }
    fmt::format_to(markdown(), "![{}]({}.svg)\n\n", says, figure_name());
    fmt::format_to(html(), "<figure{}>\n{}", small ? "" : " class=\"wide\"", svg);
    if (!caption.empty()) fmt::format_to(html(), "<figcaption>{}</figcaption>", escape_html(caption));
    html_ += "</figure>\n";
  }
  void add_figure_data(const std::string& csv, const std::string& table = {}) {
    add_file(figure_name(), csv);
    if (!table.empty()) fmt::format_to(markdown(), "{}\n", table);
  }
  void next_figure() { ++figures_; }

  void end_section(const std::vector<std::string>& commands) {
    close_figures();
    html_ += "<footer class=\"made\">";
    if (!files_.empty()) html_ += "Data:";
    for (const auto& file : files_) {
      fmt::format_to(html(), " <a href=\"{}\">{}</a>", link_to(page_, file), escape_html(file.filename().string()));
    }
    if (!commands.empty()) fmt::format_to(markdown(), "`{}`\n", commands.front());
    // All of a few commands; of many the first, which runs the others.
    constexpr std::size_t kFew = 5;
    const std::size_t shown = commands.size() <= kFew ? commands.size() : 1;
    const auto add_commands = [&](std::size_t begin, std::size_t end) {
      html_ += "<pre>";
      for (std::size_t i = begin; i < end; ++i) {
        if (i > begin) html_ += '\n';
        html_ += escape_html(commands[i]);
      }
      html_ += "</pre>";
    };
    if (shown > 0) add_commands(0, shown);
    if (commands.size() > shown) {
      fmt::format_to(html(), "<details><summary>It runs {} commands</summary>", commands.size() - shown);
      add_commands(shown, commands.size());
      html_ += "</details>";
    }
    html_ += "</footer>\n</section>\n";
  }

  std::vector<std::string> finish() {
    html_ += "</main>\n</body>\n</html>\n";
    write_file(beside_ / "results.md", markdown_);
    write_file(page_, html_);
    return complaints_;
  }

 private:
  std::back_insert_iterator<std::string> html() { return std::back_inserter(html_); }
  std::back_insert_iterator<std::string> markdown() { return std::back_inserter(markdown_); }

  // That of the first picture is the section's own.
  std::string figure_name() const { return figures_ == 1 ? section_ : fmt::format("{}-figure-{}", section_, figures_); }

  void close_figures() {
    if (in_figures_) html_ += "</div>\n";
    in_figures_ = false;
  }

  void add_file(const std::string& name, const std::string& csv) {
    std::filesystem::path file = beside_ / (name + ".csv");
    // A table and a figure may both be the first of their section.
    if (std::ranges::find(files_, file) != files_.end()) file = beside_ / (name + "-figure.csv");
    write_file(file, csv);
    files_.push_back(file);
  }

  const std::filesystem::path& page_;
  const std::filesystem::path& beside_;
  std::string html_, markdown_;
  std::vector<std::string> complaints_;
  // Of the section that is being written.
  std::string section_;
  std::size_t tables_ = 0, figures_ = 0;
  std::vector<std::filesystem::path> files_;
  bool in_figures_ = false;
};

std::vector<std::string> Report::write(const std::filesystem::path& page, const std::filesystem::path& beside) const {
  std::filesystem::create_directories(beside);
  PageWriter writer(page, beside);
  writer.write_head(title_, subtitle_, facts_);
  writer.write_contents(sections_);
  for (const ReportSection& section : sections_) {
    writer.begin_section(section.name(), section.title());
    for (const auto& part : section.parts_) {
      if (const auto* paragraph = std::get_if<ReportSection::Paragraph>(&part)) {
        writer.add_paragraph(paragraph->text);
      } else if (const auto* table = std::get_if<Table>(&part)) {
        writer.add(*table);
      } else {
        const auto& figure = std::get<ReportSection::Figure>(part);
        writer.next_figure();
        writer.add_figure(figure.says, figure.caption, figure.small, [&](const std::string& name) {
          if (const auto* plot = std::get_if<Plot>(&figure.what)) return draw(*plot, beside, name);
          if (const auto* heat = std::get_if<HeatPlot>(&figure.what)) return draw(*heat, beside, name);
          return draw_graph(std::get<ReportSection::Graph>(figure.what).text, beside, name);
        });
        if (const auto* plot = std::get_if<Plot>(&figure.what))
          writer.add_figure_data(to_csv(*plot), to_markdown(*plot));
        if (const auto* heat = std::get_if<HeatPlot>(&figure.what)) writer.add_figure_data(to_csv(*heat));
      }
    }
    writer.end_section(section.commands_);
  }
  return writer.finish();
}

}  // namespace linn::app
