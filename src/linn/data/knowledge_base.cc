#include "linn/data/knowledge_base.h"

#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/logic/parse.h"

namespace linn {
namespace {

std::string_view without_comment(std::string_view line) {
  // A doubled quote inside a name closes and reopens it, so counting quotes is enough.
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') quoted = !quoted;
    if (line[i] == '#' && !quoted) return line.substr(0, i);
  }
  return line;
}

// Calls read(line) for every non-blank line, and adds the file and line to errors.
template <class Read>
void for_each_line(std::string_view text, const std::filesystem::path& file, const Read& read) {
  LineReader lines(text, file);
  std::string_view line;
  while (lines.next(line)) {
    line = without_comment(line);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    try {
      read(line);
    } catch (const InputError& error) {
      throw error.in_file(file.string(), lines.line_number());
    }
  }
}

}  // namespace

EquationList parse_knowledge_base(std::string_view text, const std::filesystem::path& file, ExpressionPool& pool) {
  EquationList equations;
  for_each_line(text, file, [&](std::string_view line) {
    const Equation equation = parse_equation(pool, line);
    equations.add(equation.expression, equation.label);
  });
  return equations;
}

std::vector<Expr> parse_expression_list(std::string_view text, const std::filesystem::path& file,
                                        ExpressionPool& pool) {
  std::vector<Expr> expressions;
  for_each_line(text, file,
                [&](std::string_view line) { expressions.push_back(parse_maybe_equation(pool, line).expression); });
  return expressions;
}

}  // namespace linn
