#include "linn/data/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "linn/base/utf8.h"

namespace linn {
namespace {

constexpr std::size_t kMaxFields = 10'000;  // a line of separators only would fill the memory

std::string_view name_of(std::string_view separator) {
  return separator == "\t" ? "tab" : separator == ";" ? "semicolon" : "comma";
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t") == std::string_view::npos; }

std::string listed(std::span<const std::string> names) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back(fmt::format("'{}'", name));
  return fmt::format("{}", fmt::join(quoted, ", "));
}

}  // namespace

char FieldSplitter::separator_of(std::string_view header) {
  if (header.find('\t') != std::string_view::npos) return '\t';
  if (header.find(',') != std::string_view::npos) return ',';
  // A single column may contain anything, so it is read without quoting.
  return header.find(';') != std::string_view::npos ? ';' : '\t';
}

void FieldSplitter::split(std::string_view line) {
  line_ = line;
  fields_.clear();
  unquoted_.clear();
  std::size_t start = 0;
  const bool quoting = separator_ == "," || separator_ == ";";
  while (true) {
    if (quoting && start < line.size() && line[start] == '"') {
      start = read_quoted(start + 1);
      if (start > line.size()) return;
      continue;
    }
    const std::size_t stop = line.find(separator_, start);
    fields_.push_back({line.substr(start, stop - start), start, false});
    if (fields_.size() > kMaxFields) throw InputError(fmt::format("the line has more than {} fields", kMaxFields));
    if (stop == std::string_view::npos) return;
    start = stop + separator_.size();
  }
}

// Adds the field whose opening quote precedes `start`. Returns the start of the next field, which is beyond the end of
// the line if there is none.
std::size_t FieldSplitter::read_quoted(std::size_t start) {
  // Unquoting only shortens, so with this capacity the views into the text stay valid.
  unquoted_.reserve(line_.size());
  const std::size_t text_start = unquoted_.size();
  std::size_t from = start;
  while (true) {
    const std::size_t quote = line_.find('"', from);
    if (quote == std::string_view::npos) {
      throw InputError("unterminated quoted field: expected '\"' on the same line",
                       Place{{}, 0, count_characters(line_.substr(0, start))}, std::string(line_));
    }
    const bool doubled = quote + 1 < line_.size() && line_[quote + 1] == '"';
    if (doubled || from != start) unquoted_ += line_.substr(from, quote - from + (doubled ? 1 : 0));
    if (doubled) {
      from = quote + 2;
      continue;
    }
    const std::string_view text =
        from == start ? line_.substr(start, quote - start) : std::string_view(unquoted_).substr(text_start);
    fields_.push_back({text, start, true});
    if (quote + 1 < line_.size() && line_[quote + 1] != separator_[0]) {
      throw InputError(fmt::format("expected a {} after the closing quote (quotes inside a field must be doubled)",
                                   name_of(separator_)),
                       Place{{}, 0, count_characters(line_.substr(0, quote + 1)) + 1}, std::string(line_));
    }
    return quote + 2;
  }
}

std::size_t FieldSplitter::column_of(std::size_t field, std::size_t character) const {
  assert(character >= 1);
  const Field& of = fields_[field];
  std::size_t column = count_characters(line_.substr(0, of.start)) + character;
  if (!of.quoted) return column;
  // Every quote before the character takes two columns.
  std::string_view rest = of.text;
  for (std::size_t i = 1; i < character && !rest.empty(); ++i) {
    if (rest[0] == '"') ++column;
    rest.remove_prefix(std::max<std::size_t>(utf8_length(rest), 1));
  }
  return column;
}

TableReader::TableReader(std::filesystem::path path) : lines_(std::move(path)), fields_('\t') { read_header(); }

TableReader::TableReader(std::string_view text, std::filesystem::path name)
    : lines_(text, std::move(name)), fields_('\t') {
  read_header();
}

void TableReader::read_header() {
  if (!next_line()) throw InputError("the file is empty; expected a header line", Place{path().string(), 0, 0});
  header_line_ = line_number();
  if (line_.find('\0') != std::string_view::npos) {
    throw InputError("expected a table with a header, found a binary file", Place{path().string(), header_line_, 0});
  }
  fields_ = FieldSplitter(FieldSplitter::separator_of(line_));
  split();
  for (std::size_t i = 0; i < fields_.size(); ++i) header_.emplace_back(fields_[i]);
}

bool TableReader::next_line() {
  while (lines_.next(line_)) {
    if (!is_blank(line_)) return true;
  }
  return false;
}

void TableReader::split() {
  try {
    fields_.split(line_);
  } catch (const InputError& error) {
    throw error.in_file(path().string(), line_number());
  }
}

std::optional<std::size_t> TableReader::find_column(std::span<const std::string_view> names) const {
  for (const std::string_view name : names) {
    const auto found = std::find(header_.begin(), header_.end(), name);
    if (found == header_.end()) continue;
    if (std::find(found + 1, header_.end(), name) != header_.end()) {
      throw InputError(fmt::format("duplicate column '{}'", name), Place{path().string(), header_line_, 0});
    }
    return static_cast<std::size_t>(found - header_.begin());
  }
  return std::nullopt;
}

std::size_t TableReader::column(std::span<const std::string_view> names) const {
  if (const std::optional<std::size_t> found = find_column(names)) return *found;
  std::string expected;
  for (const std::string_view name : names) expected += fmt::format("{}'{}'", expected.empty() ? "" : " or ", name);
  throw InputError(fmt::format("no column {}; the header has {}", expected, listed(header_)),
                   Place{path().string(), header_line_, 0});
}

bool TableReader::next() {
  if (!next_line()) return false;
  split();
  if (fields_.size() == header_.size()) return true;
  const bool too_many = fields_.size() > header_.size();
  const std::size_t column = too_many ? fields_.column_of(header_.size()) : count_characters(line_) + 1;
  throw InputError(fmt::format("expected {} {}-separated field{} as in the header, found {}", header_.size(),
                               name_of(fields_.separator()), header_.size() == 1 ? "" : "s", fields_.size()),
                   Place{path().string(), line_number(), column}, std::string(line_));
}

InputError TableReader::error(std::size_t column, std::string message, std::size_t character) const {
  const std::size_t place = fields_.column_of(column, character);
  return InputError(std::move(message), Place{path().string(), line_number(), place}, std::string(line_));
}

bool is_header(std::string_view line, std::initializer_list<std::string_view> first,
               std::initializer_list<std::string_view> second) {
  FieldSplitter fields(FieldSplitter::separator_of(line));
  try {
    fields.split(line);
  } catch (const InputError&) {
    return false;
  }
  const auto has = [&](std::initializer_list<std::string_view> names) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (std::find(names.begin(), names.end(), fields[i]) != names.end()) return true;
    }
    return false;
  };
  return has(first) && has(second);
}

}  // namespace linn
