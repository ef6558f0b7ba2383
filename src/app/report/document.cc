#include "app/report/document.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <ctime>
#include <iterator>
#include <thread>

#include "app/process/command_line.h"
#include "app/report/markup.h"
#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/model/run_folder.h"

namespace linn::app {
namespace {

// For light and dark screens, wide and narrow ones, and paper.
constexpr const char* kPageStyle = R"css(
:root { color-scheme: light dark; --text: #1b1f24; --faint: #59636e; --line: #d1d9e0; --page: #ffffff; --panel: #f6f8fa; --link: #0550ae; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --faint: #9198a1; --line: #3d444d; --page: #0d1117; --panel: #151b23; --link: #79b8ff; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 73rem; background: var(--page); color: var(--text);
  font: 16px/1.55 system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .3rem; }
h2 { font-size: 1.3rem; margin: 0 0 .6rem; line-height: 1.3; }
a { color: var(--link); }
header p { color: var(--faint); margin: .2rem 0 1rem; }
dl.facts { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0 0 1rem; font-size: .9rem; }
dl.facts dt { color: var(--faint); }
dl.facts dd { margin: 0; overflow-wrap: anywhere; }
nav ol { columns: 18rem; padding-left: 1.2rem; font-size: .92rem; }
section { border-top: 1px solid var(--line); margin-top: 2.2rem; padding-top: 1.4rem; }
.scroll { overflow-x: auto; margin: 1rem 0 .4rem; }
table { border-collapse: collapse; font-size: .83rem; font-variant-numeric: tabular-nums; min-width: 50%; }
caption { text-align: left; color: var(--faint); padding-bottom: .4rem; }
th, td { padding: .3rem .55rem; text-align: right; vertical-align: top; white-space: nowrap; }
th[scope=row], thead tr:first-child th:first-child { text-align: left; }
td.text, thead th.text { text-align: left; }
thead th { border-bottom: 1px solid var(--text); font-weight: 600; white-space: normal; vertical-align: bottom; }
thead th[scope=colgroup] { text-align: center; border-bottom: 1px solid var(--line); }
tbody th { font-weight: 500; }
tr.rule th, tr.rule td { border-top: 1px solid var(--line); }
tbody tr:last-child th, tbody tr:last-child td { border-bottom: 1px solid var(--text); }
td small { display: block; color: var(--faint); font-size: .75rem; }
td .missing { color: var(--faint); font-style: italic; }
p.note, figcaption { color: var(--faint); font-size: .86rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(13rem, 100%), 1fr)); gap: .5rem; }
figure { margin: 1rem 0; }
figure.wide { grid-column: 1 / -1; max-width: 46rem; }
figure svg .background { display: none; }
figure svg { display: block; width: 100%; height: auto; max-height: 30rem; }
footer.made { font-size: .84rem; color: var(--faint); margin-top: .8rem; }
details { margin-top: .3rem; }
summary { cursor: pointer; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .6rem .8rem; overflow-x: auto;
  font-size: .8rem; line-height: 1.45; color: var(--text); }
@media (max-width: 40rem) { body { padding: 1rem .75rem 3rem; font-size: 15px; } h1 { font-size: 1.5rem; } th, td { padding: .25rem .5rem; } }
@media print {
  :root { --text: #000; --faint: #444; --line: #bbb; --page: #fff; --panel: #fff; --link: #000; }
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  nav, details { display: none; }
  section { break-inside: avoid-page; }
  figure, table { break-inside: avoid; }
  .scroll { overflow: visible; }
  table { font-size: 7.5pt; }
  td small { font-size: 6.5pt; }
  th, td { padding: .15rem .3rem; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
}
)css";

// The link from a page to a file: the relative path, percent-encoded.
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

// Adds a text alternative for people who cannot see the picture.
std::string labelled(std::string svg, const std::string& description) {
  constexpr std::string_view kStart = "<svg ";
  return svg.insert(svg.find(kStart) + kStart.size(),
                    fmt::format("role=\"img\" aria-label=\"{}\" ", escape_html(description)));
}

std::string processor_name() {
  try {
    LineReader reader("/proc/cpuinfo");
    std::string_view line;
    while (reader.next(line)) {
      const std::size_t colon = line.find(": ");
      if (line.starts_with("model name") && colon != std::string_view::npos) return std::string(line.substr(colon + 2));
    }
  } catch (const InputError&) {  // the file is not everywhere
  }
  return "an unknown processor";
}

}  // namespace

void ReportSection::add_figure(Plot plot, std::string description, std::string caption, bool small) {
  if (std::ranges::all_of(plot.series, [](const Series& series) { return series.x.empty(); })) {
    add_text(description + ": not run yet.");
    return;
  }
  parts_.emplace_back(Figure{std::move(plot), std::move(description), std::move(caption), small});
}

void ReportSection::add_figure(const HeatMap& map, std::string description, std::string caption, bool small) {
  parts_.emplace_back(
      Figure{Picture{to_svg(map), to_table(map, ',')}, std::move(description), std::move(caption), small});
}

void ReportSection::add_figure(const ScatterPlot& plot, std::string description, std::string caption, bool small) {
  parts_.emplace_back(Figure{Picture{to_svg(plot), to_csv(plot)}, std::move(description), std::move(caption), small});
}

void ReportSection::add_graph(std::string graph, std::string description, std::string caption, bool small) {
  parts_.emplace_back(Figure{Graph{std::move(graph)}, std::move(description), std::move(caption), small});
}

// Writes a page, section by section, and its files.
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

  // `draw_it` draws the picture under a name.
  template <class Draw>
  void add_figure(const std::string& description, const std::string& caption, bool small, Draw draw_it) {
    if (!in_figures_) html_ += "<div class=\"figures\">\n";
    in_figures_ = true;
    std::string svg;
    try {
      svg = labelled(draw_it(figure_name()), description);
    } catch (const Failure& failure) {
      complaints_.emplace_back(failure.what());
      svg = fmt::format("<p class=\"note\">{}</p>", escape_html(failure.what()));
    }
    fmt::format_to(markdown(), "![{}]({}.svg)\n\n", description, figure_name());
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
    // Shows a few commands in full; of many only the first, which runs the others.
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

  // The first picture has the name of the section.
  std::string figure_name() const { return figures_ == 1 ? section_ : fmt::format("{}-figure-{}", section_, figures_); }

  void close_figures() {
    if (in_figures_) html_ += "</div>\n";
    in_figures_ = false;
  }

  void add_file(const std::string& name, const std::string& csv) {
    std::filesystem::path file = beside_ / (name + ".csv");
    // The first table and the first figure of a section have the same name.
    if (std::ranges::find(files_, file) != files_.end()) file = beside_ / (name + "-figure.csv");
    write_file(file, csv);
    files_.push_back(file);
  }

  const std::filesystem::path& page_;
  const std::filesystem::path& beside_;
  std::string html_, markdown_;
  std::vector<std::string> complaints_;
  // Of the current section.
  std::string section_;
  std::size_t tables_ = 0, figures_ = 0;
  std::vector<std::filesystem::path> files_;
  bool in_figures_ = false;
};

ReportPlace::ReportPlace(const std::filesystem::path& out) : page(out), folder(out) {
  if (out.extension() == ".html") {
    folder.replace_extension();
  } else {
    page /= "index.html";
  }
  if (RunFolder::exists(folder)) {
    throw InputError("this folder holds a run; a report needs a folder of its own", Place{folder.string(), 0, 0});
  }
}

void Report::add_origin(const std::vector<std::string>& command) {
  add_fact("Command", command_line(command));
  add_fact("Program", program_name());
  add_fact("Date", fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))));
  add_fact("Machine", fmt::format("{}, {} cores", processor_name(), std::thread::hardware_concurrency()));
}

std::vector<std::string> Report::write(const std::filesystem::path& page, const std::filesystem::path& beside) const {
  create_folder(beside);
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
        const auto* picture = std::get_if<ReportSection::Picture>(&figure.content);
        const auto* plot = std::get_if<Plot>(&figure.content);
        writer.add_figure(figure.description, figure.caption, figure.small, [&](const std::string& name) {
          if (plot != nullptr) return draw(*plot, beside, name);
          if (picture == nullptr) {
            return draw_graph(std::get<ReportSection::Graph>(figure.content).text, beside, name);
          }
          write_file(beside / (name + ".svg"), picture->svg);
          return picture->svg;
        });
        if (plot != nullptr) writer.add_figure_data(to_csv(*plot), to_markdown(*plot));
        if (picture != nullptr) writer.add_figure_data(picture->csv);
      }
    }
    writer.end_section(section.commands_);
  }
  return writer.finish();
}

}  // namespace linn::app
