// Commands that answer every line of a file: lines are read, answered and written block by block, so memory does not
// grow with the file.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/program.h"
#include "linn/base/file.h"

namespace linn::app {

// Where the answers go, and how they are written.
struct AnswerOptions {
  std::string file;  // the lines to answer; empty: none
  std::string out;   // empty: standard output
  bool lines = false;
};
void add_answer_options(CLI::App& command, AnswerOptions& options, const std::string& what);

class AnswerWriter {
 public:
  // Only the first of several processes has answers to write. JSON for --json and files named .json, JSON lines for
  // --json-lines and files named .jsonl, else a table.
  AnswerWriter(const AnswerOptions& options, const Program& program, std::string table_header);

  bool json() const { return format_ != Format::kTable; }
  // An answer as lines of the table, or as JSON.
  void add_table(std::string_view lines) { write(lines); }
  void add_json(const Json& answer) { add_json_text(answer.dump()); }
  void add_json_text(std::string_view answer);
  void finish();

 private:
  enum class Format { kTable, kJson, kJsonLines };
  void write(std::string_view text);

  Format format_ = Format::kTable;
  std::unique_ptr<FileWriter> out_;
  std::string opening_;  // written before the first answer, so that a file without a valid block prints nothing
  bool is_first_ = true;
};

// Calls `answer` with the lines of each block and the number of the first, from 1. A throwing answer leaves nothing of
// its block. Lines may be empty.
void for_each_block_of_lines(const std::string& file,
                             const std::function<void(std::span<const std::string> lines, std::size_t first)>& answer);

}  // namespace linn::app
