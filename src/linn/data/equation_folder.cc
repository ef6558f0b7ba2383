// Data sets of equations: folders, and single files that are split.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <string>

#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/base/random.h"
#include "linn/data/data_folder.h"
#include "linn/data/equations.h"
#include "linn/logic/print.h"

namespace linn {
namespace {

namespace fs = std::filesystem;

// With fewer equations, a tenth for validation and a tenth for test would be meaningless.
constexpr std::size_t kMinToSplit = 50;

EquationList read_table_if_there(const fs::path& path, ExpressionPool& pool) {
  if (path.empty()) return {};
  return parse_equation_table(read_file(path), path, pool);
}

EquationData read_folder(const fs::path& folder, ExpressionPool pool) {
  const fs::path train = find_table(folder, {"train"});
  const fs::path validation = find_table(folder, {"validation"});
  const fs::path test = find_table(folder, {"test"});
  const fs::path truth = find_table(folder, {"variables", "variable"});
  if (train.empty()) {
    throw InputError("no training data: expected train.tsv or train.csv (optionally .gz) in the folder",
                     Place{folder.string(), 0, 0});
  }
  EquationData data;
  data.pool = std::move(pool);
  data.train = read_table_if_there(train, data.pool);
  if (data.train.size() == 0) throw InputError("the file contains no equations", Place{train.string(), 0, 0});
  data.validation = read_table_if_there(validation, data.pool);
  data.test = read_table_if_there(test, data.pool);
  if (!truth.empty()) data.truth = read_truth(truth, data.pool);
  return data;
}

std::string shortest_decimal(float value) {
  std::array<char, 64> text;  // the smallest float takes 47 characters
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  return std::string(text.data(), end.ptr);
}

bool is_number(std::string_view name) { return name.find_first_not_of("0123456789") == std::string_view::npos; }

bool all_names_are_numbers(const Vocabulary& variables) {
  for (VariableId id = 0; id < variables.size(); ++id) {
    if (!is_number(variables.name(id))) return false;
  }
  return true;
}

void write_table(FileWriter& writer, const ExpressionPool& pool, const EquationList& equations) {
  const bool numbered = all_names_are_numbers(pool.variables());
  const auto text_of = [&](Expr expression) {
    if (!numbered) return to_string(pool, expression);
    try {
      return to_string(pool, expression, Notation::kAuthors);
    } catch (const InputError&) {  // a constant or a connective that the authors' notation lacks
      return to_string(pool, expression);
    }
  };
  writer.write("expression\tlabel\n");
  for (std::size_t i = 0; i < equations.size(); ++i) {
    writer.write(text_of(equations.expressions[i]));
    writer.write("\t");
    writer.write(shortest_decimal(equations.labels[i]));
    writer.write("\n");
  }
}

void write_truth(FileWriter& writer, const Vocabulary& variables, const Truth& truth) {
  writer.write("variable\tvalue\n");
  for (VariableId id = 0; id < truth.size(); ++id) {
    if (truth[id]) writer.write(fmt::format("{}\t{}\n", variables.name(id), *truth[id] ? 1 : 0));
  }
}

}  // namespace

EquationData split_equations(ExpressionPool pool, const EquationList& equations, std::uint64_t seed) {
  EquationData data;
  data.pool = std::move(pool);
  if (equations.size() < kMinToSplit) {
    data.train = equations;
    data.unsplit = true;
    return data;
  }
  std::vector<std::size_t> order(equations.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random(seed).shuffle(std::span(order));
  const std::size_t tenth = equations.size() / 10;
  for (std::size_t i = 0; i < order.size(); ++i) {
    EquationList& part = i < tenth ? data.validation : i < 2 * tenth ? data.test : data.train;
    part.add(equations.expressions[order[i]], equations.labels[order[i]]);
  }
  return data;
}

EquationData read_equation_data(const fs::path& path, std::uint64_t seed, ExpressionPool pool) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return read_folder(path, std::move(pool));
  const EquationList equations = read_equation_file(path, pool);
  return split_equations(std::move(pool), equations, seed);
}

void write_equation_folder(const fs::path& folder, const EquationData& data) {
  FileSet files(folder);
  write_table(files.add("train.tsv"), data.pool, data.train);
  write_table(files.add("validation.tsv"), data.pool, data.validation);
  write_table(files.add("test.tsv"), data.pool, data.test);
  if (data.truth) write_truth(files.add("variables.tsv"), data.pool.variables(), *data.truth);
  files.commit();
}

}  // namespace linn
