// Equations as data: what is read from and written to folders, knowledge bases and DIMACS files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "linn/logic/expression.h"

namespace linn {

// Expressions of one pool with how true each is, in [0, 1].
struct EquationList {
  std::vector<Expr> expressions;
  std::vector<float> labels;

  std::size_t size() const { return expressions.size(); }
  void add(Expr expression, float label) {
    expressions.push_back(expression);
    labels.push_back(label);
  }
};

// The hidden value of every variable, where a data set brings it along: 0, 1, or nothing for a variable
// that the file does not name. Indexed by variable.
using Truth = std::vector<std::optional<bool>>;

struct EquationData {
  ExpressionPool pool;
  EquationList train, validation, test;
  std::optional<Truth> truth;
  // True if the set was too small to split, and all of it is training data.
  bool unsplit = false;
};

// Reads a data folder (train, validation and test as .tsv or .csv, plain or .gz, with the header
// `expression label` or the authors' `sent label`; beside them the truth as `variables` or the authors'
// `variable`), or a single file (see read_equation_file) that is split 80/10/10 by the seed, unless it has
// fewer than 50 equations. A folder may lack all but train. Throws InputError naming file and line.
EquationData read_equation_data(const std::filesystem::path& path, std::uint64_t seed = 0);

// The equations of one file, at least one: a table with a header as above, a DIMACS CNF (every clause a true
// equation), or a knowledge base: one `EXPR = VALUE` a line, # for comments.
EquationList read_equation_file(const std::filesystem::path& path, ExpressionPool& pool);

// Reads a table with the header `variable value`. Variables new to the pool are added to it.
Truth read_truth(const std::filesystem::path& path, ExpressionPool& pool);

// The same from text in memory, where no equation at all is no error; `file` names the source in errors, and
// its ending helps to tell a table with a wrong header from a knowledge base.
EquationList parse_equation_text(std::string_view text, const std::filesystem::path& file, ExpressionPool& pool);
EquationList parse_equation_table(std::string_view text, const std::filesystem::path& file, ExpressionPool& pool);
Truth parse_truth(std::string_view text, const std::filesystem::path& file, ExpressionPool& pool);

// Splits 80/10/10 by the seed, or, below 50 equations, not at all.
EquationData split_equations(ExpressionPool pool, const EquationList& equations, std::uint64_t seed);

// Writes train.tsv, validation.tsv, test.tsv and, if there is one, variables.tsv into the folder, which is
// made if need be. Each file appears whole or not at all. Expressions are in the authors' form where every
// variable is a number and the form can say them.
void write_equation_folder(const std::filesystem::path& folder, const EquationData& data);

}  // namespace linn
