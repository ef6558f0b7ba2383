#include "linn/data/equations.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string>

#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/data/dimacs.h"
#include "linn/data/knowledge_base.h"
#include "linn/data/table.h"
#include "linn/logic/parse.h"

namespace linn {
namespace {

using namespace std::string_view_literals;

// Our column name, then the authors'.
constexpr std::initializer_list<std::string_view> kExpressionNames = {"expression"sv, "sent"sv};
constexpr std::initializer_list<std::string_view> kLabelNames = {"label"sv};

std::string_view first_line(std::string_view text, const std::filesystem::path& file) {
  LineReader lines(text, file);
  std::string_view line;
  while (lines.next(line)) {
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) return line;
  }
  return {};
}

bool has_table_name(std::filesystem::path file) {
  if (file.extension() == ".gz") file.replace_extension();
  return file.extension() == ".tsv" || file.extension() == ".csv";
}

bool is_table(std::string_view text, const std::filesystem::path& file) {
  const std::string_view line = first_line(text, file);
  if (is_header(line, kExpressionNames, kLabelNames)) return true;
  // If the first line cannot belong to a knowledge base and the file is named like a table, it is a header with wrong
  // column names, and the table reader gives a better error than the equation parser.
  return has_table_name(file) && line.find_first_of("=#") == std::string_view::npos && !is_dimacs(text, file.string());
}

}  // namespace

EquationList parse_equation_table(std::string_view text, const std::filesystem::path& file, ExpressionPool& pool) {
  TableReader table(text, file);
  const std::size_t expression_column = table.column(kExpressionNames);
  const std::size_t label_column = table.column(kLabelNames);
  EquationList equations;
  while (table.next()) {
    const std::optional<float> label = parse_label(table.field(label_column));
    if (!label) {
      throw table.error(label_column,
                        fmt::format("expected 0, 1, T, F or a number between 0 and 1 as label, found '{}'",
                                    table.field(label_column)));
    }
    try {
      equations.add(parse_expression(pool, table.field(expression_column)), *label);
    } catch (const InputError& error) {
      throw table.error(expression_column, error.message(), std::max<std::size_t>(error.place().column, 1));
    }
  }
  return equations;
}

EquationList parse_equation_text(std::string_view text, const std::filesystem::path& file, ExpressionPool& pool) {
  if (is_table(text, file)) return parse_equation_table(text, file, pool);
  if (!is_dimacs(text, file.string())) return parse_knowledge_base(text, file, pool);
  EquationList equations;
  for (const Expr clause : parse_dimacs(pool, text, file.string())) equations.add(clause, 1.0F);
  return equations;
}

EquationList read_equation_file(const std::filesystem::path& path, ExpressionPool& pool) {
  EquationList equations = parse_equation_text(read_file(path), path, pool);
  if (equations.size() == 0) throw InputError("the file contains no equations", Place{path.string(), 0, 0});
  return equations;
}

Truth parse_truth(std::string_view text, const std::filesystem::path& file, ExpressionPool& pool) {
  TableReader table(text, file);
  const std::size_t variable_column = table.column({"variable"});
  const std::size_t value_column = table.column({"value"});
  Truth truth(pool.variables().size());
  while (table.next()) {
    const std::optional<float> value = parse_label(table.field(value_column));
    if (!value || (*value != 0.0F && *value != 1.0F)) {
      throw table.error(value_column, fmt::format("expected 0, 1, T, F, true or false as value, found '{}'",
                                                  table.field(value_column)));
    }
    const std::string_view name = table.field(variable_column);
    VariableId variable = 0;
    try {
      variable = pool.variables().intern(name);
    } catch (const InputError& error) {
      throw table.error(variable_column, error.message());
    }
    if (variable >= truth.size()) truth.resize(variable + 1);
    if (truth[variable]) throw table.error(variable_column, fmt::format("duplicate variable '{}'", name));
    truth[variable] = *value == 1.0F;
  }
  return truth;
}

Truth read_truth(const std::filesystem::path& path, ExpressionPool& pool) {
  return parse_truth(read_file(path), path, pool);
}

}  // namespace linn
