#include "linn/data/dimacs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/base/utf8.h"

namespace linn {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";

std::string_view without_leading_blanks(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  return line;
}

// The words of one line, and the column of the last one.
class Words {
 public:
  explicit Words(std::string_view line) : line_(line) {}

  // Returns the next word; empty at the end of the line.
  std::string_view next() {
    start_ = std::min(line_.find_first_not_of(kBlanks, end_), line_.size());
    end_ = std::min(line_.find_first_of(kBlanks, start_), line_.size());
    return line_.substr(start_, end_ - start_);
  }
  std::size_t column() const { return count_characters(line_.substr(0, start_)) + 1; }

 private:
  std::string_view line_;
  std::size_t start_ = 0, end_ = 0;
};

std::optional<std::uint64_t> parse_count(std::string_view word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

std::string shown(std::string_view word) {
  constexpr std::size_t kMaxShown = 40;
  if (word.empty()) return "the end of the line";
  return fmt::format("'{}'", word.substr(0, kMaxShown));
}

class DimacsParser {
 public:
  DimacsParser(ExpressionPool& pool, std::string_view text, std::string_view file)
      : pool_(pool), lines_(text, std::filesystem::path(file)), file_(file) {}

  std::vector<Expr> parse() {
    while (lines_.next(line_)) {
      const std::string_view content = without_leading_blanks(line_);
      if (content.empty() || content.front() == 'c') continue;
      if (content.front() == '%') break;  // SATLIB files end with such a line, followed by a stray 0
      if (has_header_) {
        read_literals();
      } else {
        read_header();
      }
    }
    if (!has_header_) fail_in_file("expected a line 'p cnf VARIABLES CLAUSES'");
    if (!literals_.empty()) {
      throw InputError("the clause that starts here is not terminated by 0", clause_start_, clause_start_line_);
    }
    if (clauses_.size() != declared_clauses_) {
      throw InputError(
          fmt::format("the header declares {} clauses, but the file has {}", declared_clauses_, clauses_.size()),
          Place{file_, header_line_, 0});
    }
    return std::move(clauses_);
  }

 private:
  void read_header() {
    Words words(line_);
    if (words.next() != "p") fail(words.column(), "expected a comment or the line 'p cnf VARIABLES CLAUSES'");
    if (words.next() != "cnf") fail(words.column(), "expected 'cnf' after 'p'");
    declared_variables_ = read_declared(words, "variables");
    declared_clauses_ = read_declared(words, "clauses");
    if (const std::string_view word = words.next(); !word.empty()) {
      fail(words.column(), fmt::format("expected the end of the line, found {}", shown(word)));
    }
    has_header_ = true;
    header_line_ = lines_.line_number();
  }

  // Declared counts are only compared, so a huge count costs nothing.
  std::uint64_t read_declared(Words& words, std::string_view what) const {
    const std::string_view word = words.next();
    const std::optional<std::uint64_t> count = parse_count(word);
    if (!count) fail(words.column(), fmt::format("expected the number of {}, found {}", what, shown(word)));
    return *count;
  }

  void read_literals() {
    Words words(line_);
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
      if (clauses_.size() == declared_clauses_ && literals_.empty()) {
        fail(words.column(), fmt::format("the header declares {} clauses, but the file has more", declared_clauses_));
      }
      const bool negated = word.front() == '-';
      const std::optional<std::uint64_t> number = parse_count(negated ? word.substr(1) : word);
      if (!number || (negated && *number == 0)) {
        fail(words.column(),
             fmt::format("expected a variable's number, negative if negated, or 0, found {}", shown(word)));
      }
      if (*number == 0) {
        clauses_.push_back(pool_.disjunction(std::span<const Expr>(literals_)));
        literals_.clear();
        continue;
      }
      if (*number > declared_variables_) {
        fail(words.column(),
             fmt::format("variable {} is out of range: the header declares {}", *number, declared_variables_));
      }
      if (literals_.empty()) {
        clause_start_ = place(words.column());
        clause_start_line_ = line_;
      }
      const Expr variable = pool_.variable(fmt::format_int(*number).c_str());
      literals_.push_back(negated ? pool_.negation(variable) : variable);
    }
  }

  Place place(std::size_t column) const { return Place{file_, lines_.line_number(), column}; }

  [[noreturn]] void fail(std::size_t column, std::string message) const {
    throw InputError(std::move(message), place(column), std::string(line_));
  }

  [[noreturn]] void fail_in_file(std::string message) const {
    throw InputError(std::move(message), Place{file_, 0, 0});
  }

  ExpressionPool& pool_;
  LineReader lines_;
  std::string file_;
  std::string_view line_;
  bool has_header_ = false;
  std::size_t header_line_ = 0;
  std::uint64_t declared_variables_ = 0, declared_clauses_ = 0;
  std::vector<Expr> literals_;  // the clause being read
  Place clause_start_;
  std::string clause_start_line_;
  std::vector<Expr> clauses_;
};

}  // namespace

bool is_dimacs(std::string_view text, std::string_view file) {
  LineReader lines(text, file);
  std::string_view line;
  while (lines.next(line)) {
    line = without_leading_blanks(line);
    if (line.empty() || line.front() == 'c') continue;
    Words words(line);
    return words.next() == "p" && words.next() == "cnf";
  }
  return false;
}

std::vector<Expr> parse_dimacs(ExpressionPool& pool, std::string_view text, std::string_view file) {
  return DimacsParser(pool, text, file).parse();
}

}  // namespace linn
