// Tab- or comma-separated files with a header line.
//
//   TableReader table("ratings.tsv");
//   const std::size_t user = table.column({"user", "uid"});
//   while (table.next()) use(table.field(user));
//
// The header tells the kind: with a tab in it the file is tab-separated, otherwise comma-separated. A tab
// file has no quoting at all. In a comma file a field that begins with a double quote ends at the next
// single one, and two in a row stand for one (RFC 4180); it must end on its own line. Blank lines are
// skipped.
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

// Splits single lines into fields. It keeps its memory between calls.
class FieldSplitter {
 public:
  // Of one character, or of several such as "::"; only a comma goes with quoting.
  explicit FieldSplitter(char separator) : separator_(1, separator) {}
  explicit FieldSplitter(std::string_view separator) : separator_(separator) {}

  // What separates the fields of a file with this header.
  static char separator_of(std::string_view header);

  const std::string& separator() const { return separator_; }

  // The fields are valid until the next call, and as long as the line is. Throws InputError with the column
  // where quoting is broken.
  void split(std::string_view line);

  std::size_t size() const { return fields_.size(); }
  std::string_view operator[](std::size_t i) const { return fields_[i].text; }

  // The column in the line of a field's character (from 1), which quotes may have moved.
  std::size_t column_of(std::size_t field, std::size_t character = 1) const;

 private:
  struct Field {
    std::string_view text;
    std::size_t start;  // in the line, behind the opening quote if there is one
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
  // Reads the header. Throws InputError if the file cannot be read or has no line.
  explicit TableReader(std::filesystem::path path);
  // A table in memory; the text must outlive the reader, and the name only stands for it in errors.
  TableReader(std::string_view text, std::filesystem::path name);

  // The number of the column that has one of the names; an earlier name goes before a later one. Throws
  // InputError if there is none or the name stands there twice.
  std::size_t column(std::span<const std::string_view> names) const;
  std::size_t column(std::initializer_list<std::string_view> names) const {
    return column(std::span(names.begin(), names.size()));
  }
  // The same for a column that a file may lack.
  std::optional<std::size_t> find_column(std::span<const std::string_view> names) const;
  std::optional<std::size_t> find_column(std::initializer_list<std::string_view> names) const {
    return find_column(std::span(names.begin(), names.size()));
  }
  std::span<const std::string> header() const { return header_; }

  // Goes to the next row; false at the end. Throws InputError if the row has not as many fields as the header.
  bool next();
  // A field of the row, without its quotes, valid until the next call of next().
  std::string_view field(std::size_t column) const { return fields_[column]; }
  std::size_t line_number() const { return lines_.line_number(); }
  const std::filesystem::path& path() const { return lines_.path(); }

  // A complaint about a field of the row, placed at one of its characters (from 1).
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

// True if the line, as a header, has a column of each of the two groups of names.
bool is_header(std::string_view line, std::initializer_list<std::string_view> first,
               std::initializer_list<std::string_view> second);

}  // namespace linn
