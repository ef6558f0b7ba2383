#include "app/cli/line_answers.h"

#include <fmt/format.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <cstdio>
#include <utility>

#include "linn/base/error.h"

namespace linn::app {
namespace {

// Every thread would keep what its large arrays leave behind; two heaps for all of them keep less, at the same speed.
void share_heaps() {
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, 2);
#endif
}

void release_free_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace

void add_answer_options(CLI::App& command, AnswerOptions& options, const std::string& what) {
  command.add_option("--file", options.file, "A file with one " + what + " per line; its length does not matter")
      ->type_name("FILE");
  command
      .add_option("--out", options.out,
                  "With --file: write the answers to this file, NAME.json as JSON, NAME.jsonl as JSON lines, any other "
                  "as a table")
      ->type_name("FILE");
  command.add_flag("--json-lines", options.lines, "With --file: print one JSON object per line");
}

AnswerWriter::AnswerWriter(const AnswerOptions& options, const Program& program, std::string table_header) {
  if (program.json && options.lines) throw InputError("--json excludes --json-lines");
  if (options.lines && options.out.ends_with(".json"))
    throw InputError("--json-lines needs a file NAME.jsonl, not NAME.json");
  if (program.json && options.out.ends_with(".jsonl"))
    throw InputError("--json needs a file NAME.json, not NAME.jsonl");
  if (options.lines || options.out.ends_with(".jsonl")) {
    format_ = Format::kJsonLines;
  } else if (program.json || options.out.ends_with(".json")) {
    format_ = Format::kJson;
  }
  if (!options.out.empty() && program.processes->is_first()) out_ = std::make_unique<FileWriter>(options.out);
  if (format_ == Format::kTable) opening_ = table_header + "\n";
  if (format_ == Format::kJson) opening_ = "{\"results\": [";
}

void AnswerWriter::add_json_text(std::string_view answer) {
  if (format_ == Format::kJsonLines) {
    write(std::string(answer) + "\n");
    return;
  }
  write((is_first_ ? "\n" : ",\n") + std::string(answer));
  is_first_ = false;
}

void AnswerWriter::finish() {
  write(format_ == Format::kJson ? "\n]}\n" : "");
  if (out_) out_->commit();
}

void AnswerWriter::write(std::string_view text) {
  if (!opening_.empty()) write(std::exchange(opening_, {}));
  if (out_) {
    out_->write(text);
  } else if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
    throw Failure("cannot write to standard output");
  }
}

void for_each_block_of_lines(const std::string& file,
                             const std::function<void(std::span<const std::string> lines, std::size_t first)>& answer) {
  // Enough to keep all cores busy; long lines, which need memory for what they say, end a block earlier.
  constexpr std::size_t kLines = 1024;
  constexpr std::size_t kBytes = std::size_t{1} << 18;
  share_heaps();
  LineReader reader(file);
  std::vector<std::string> lines;
  std::size_t bytes = 0;
  std::size_t first = 1;
  const auto flush = [&] {
    if (!lines.empty()) answer(lines, first);
    release_free_memory();
    first += lines.size();
    lines.clear();
    bytes = 0;
  };
  for (std::string_view line; reader.next(line);) {
    lines.emplace_back(line);
    bytes += line.size();
    if (lines.size() == kLines || bytes > kBytes) flush();
  }
  flush();
}

}  // namespace linn::app
