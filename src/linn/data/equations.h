// Equations as data: reading and writing folders, knowledge bases and DIMACS files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "linn/logic/expression.h"

namespace linn {

// Expressions of one pool, each with its truth value in [0, 1].
struct EquationList {
  std::vector<Expr> expressions;
  std::vector<float> labels;

  std::size_t size() const { return expressions.size(); }
  void add(Expr expression, float label) {
    expressions.push_back(expression);
    labels.push_back(label);
  }
};

// The hidden values of the variables, if the data set provides them: 0, 1, or nothing for a variable that the file does
// not list. Indexed by variable.
using Truth = std::vector<std::optional<bool>>;

struct EquationData {
  ExpressionPool pool;
  EquationList train, validation, test;
  std::optional<Truth> truth;
  // Set if the data set was too small to split, so all of it is training data.
  bool unsplit = false;
  // So many of the first training equations were there before a training that is continued.
  std::size_t earlier = 0;
};

// Reads a data folder (train, validation and test as .tsv or .csv, optionally .gz, with the header `expression label`
// or the authors' `sent label`; the truth as `variables` or the authors' `variable`), or a single file (see
// read_equation_file), which is split 80/10/10 by the seed unless it has fewer than 50 equations. Only train is
// required in a folder. Throws InputError with file and line. The pool may have expressions and variables already.
EquationData read_equation_data(const std::filesystem::path& path, std::uint64_t seed = 0, ExpressionPool pool = {});

// Reads the equations of one file, at least one: a table with a header as above, a DIMACS CNF (every clause a true
// equation), or a knowledge base: one `EXPR = VALUE` per line, # for comments.
EquationList read_equation_file(const std::filesystem::path& path, ExpressionPool& pool);

// Reads a table with the header `variable value`. New variables are added to the pool.
Truth read_truth(const std::filesystem::path& path, ExpressionPool& pool);

// The same for text in memory, which may contain no equations; `file` is used in error messages, and its extension
// helps to tell a table with a wrong header from a knowledge base.
EquationList parse_equation_text(std::string_view text, const std::filesystem::path& file, ExpressionPool& pool);
EquationList parse_equation_table(std::string_view text, const std::filesystem::path& file, ExpressionPool& pool);
Truth parse_truth(std::string_view text, const std::filesystem::path& file, ExpressionPool& pool);

// Splits 80/10/10 by the seed; fewer than 50 equations are not split.
EquationData split_equations(ExpressionPool pool, const EquationList& equations, std::uint64_t seed);

// Writes train.tsv, validation.tsv, test.tsv and, if the truth is known, variables.tsv into the folder, which is
// created if necessary. Files are written atomically. Expressions use the authors' notation if it can express them and
// every variable is a number.
void write_equation_folder(const std::filesystem::path& folder, const EquationData& data);

}  // namespace linn
