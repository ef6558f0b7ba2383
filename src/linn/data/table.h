// Tab-, comma- or semicolon-separated files with a header line.
//
//   TableReader table("ratings.tsv");
//   const std::size_t user = table.column({"user", "uid"});
//   while (table.next()) use(table.field(user));
//
// The header determines the format: if it contains a tab the file is tab-separated, otherwise comma-separated or, where
// there are none, semicolon-separated. Tab-separated files have no quoting. In others a field that starts with a double
// quote ends at the next single one, and two in a row stand for one (RFC 4180); it must end on the same line. Blank
// lines are skipped.
#pragma once

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linn/base/error.h"
#include "linn/base/file.h"

namespace linn {

// Splits lines into fields. Keeps its memory between calls.
class FieldSplitter {
 public:
  // The separator may have several characters, such as "::"; only a comma or a semicolon enables quoting.
  explicit FieldSplitter(char separator) : separator_(1, separator) {}
  explicit FieldSplitter(std::string_view separator) : separator_(separator) {}

  // The separator of a file with this header.
  static char separator_of(std::string_view header);

  const std::string& separator() const { return separator_; }

  // The fields are valid until the next call, and as long as the line is. Throws InputError with the column of invalid
  // quoting.
  void split(std::string_view line);

  std::size_t size() const { return fields_.size(); }
  std::string_view operator[](std::size_t i) const { return fields_[i].text; }

  // The column in the line of a character of a field (both from 1), taking quotes into account.
  std::size_t column_of(std::size_t field, std::size_t character = 1) const;

 private:
  struct Field {
    std::string_view text;
    std::size_t start;  // in the line, after the opening quote if there is one
    bool quoted;
  };
  std::size_t read_quoted(std::size_t start);

  std::string separator_;
  std::string_view line_;
  std::vector<Field> fields_;
  std::string unquoted_;  // the text of fields with doubled quotes
};

class TableReader {
 public:
  // Reads the header. Throws InputError if the file cannot be read or is empty.
  explicit TableReader(std::filesystem::path path);
  // Reads a table in memory; the text must outlive the reader, and the name is used in error messages only.
  TableReader(std::string_view text, std::filesystem::path name);

  // The index of the column that has one of the names; earlier names take precedence. Throws InputError if there is
  // none or if the name occurs twice.
  std::size_t column(std::span<const std::string_view> names) const;
  std::size_t column(std::initializer_list<std::string_view> names) const {
    return column(std::span(names.begin(), names.size()));
  }
  // The same for an optional column.
  std::optional<std::size_t> find_column(std::span<const std::string_view> names) const;
  std::optional<std::size_t> find_column(std::initializer_list<std::string_view> names) const {
    return find_column(std::span(names.begin(), names.size()));
  }
  std::span<const std::string> header() const { return header_; }

  // Advances to the next row; returns false at the end. Throws InputError if the number of fields differs from the
  // header.
  bool next();
  // A field of the row without its quotes, valid until the next call of next().
  std::string_view field(std::size_t column) const { return fields_[column]; }
  std::size_t line_number() const { return lines_.line_number(); }
  const std::filesystem::path& path() const { return lines_.path(); }

  // An error about a field of the row, at one of its characters (from 1).
  InputError error(std::size_t column, std::string message, std::size_t character = 1) const;

 private:
  bool next_line();
  void split();
  void read_header();

  LineReader lines_;
  std::string_view line_;
  FieldSplitter fields_;
  std::vector<std::string> header_;
  std::size_t header_line_ = 0;
};

// Whether the line is a header with a column from each of the two groups of names.
bool is_header(std::string_view line, std::initializer_list<std::string_view> first,
               std::initializer_list<std::string_view> second);

}  // namespace linn
