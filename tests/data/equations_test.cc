#include "linn/data/equations.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "linn/base/file.h"
#include "linn/logic/parse.h"
#include "linn/logic/print.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

namespace fs = std::filesystem;

// "expression = label" for each equation.
std::vector<std::string> texts(const ExpressionPool& pool, const EquationList& equations) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < equations.size(); ++i) {
    std::string label = std::to_string(equations.labels[i]);
    label.erase(label.find_last_not_of('0') + 1);
    if (label.ends_with('.')) label.pop_back();
    out.push_back(to_string(pool, equations.expressions[i]) + " = " + label);
  }
  return out;
}

std::vector<std::string> equations_of(std::string_view text, const fs::path& file = "file") {
  ExpressionPool pool;
  return texts(pool, parse_equation_text(text, file, pool));
}

void expect_error_in(std::string_view text, std::size_t line, std::size_t column, std::string_view part,
                     const fs::path& file = "file") {
  SCOPED_TRACE(text);
  expect_input_error([&] { equations_of(text, file); }, line, column, part, file.string());
}

using Texts = std::vector<std::string>;

TEST(EquationText, ReadsTables) {
  EXPECT_EQ(equations_of("expression\tlabel\na & b\t1\n!a\t0.25\n"), (Texts{"a & b = 1", "!a = 0.25"}));
  EXPECT_EQ(equations_of("sent\tlabel\n~1^2v3\t0\n"), Texts{"(!1 & 2) | 3 = 0"});
  EXPECT_EQ(equations_of("label,note,expression\nT,\"x, y\",\"\"\"Star Wars\"\" & b\"\nfalse,,c\n"),
            (Texts{"\"Star Wars\" & b = 1", "c = 0"}));
  EXPECT_EQ(equations_of("\n\nexpression\tlabel\r\na\tTrue\r\n\r\n"), Texts{"a = 1"});
}

TEST(EquationText, ReadsKnowledgeBases) {
  EXPECT_EQ(equations_of("# weather\n\nrain -> wet = T\n  \"No. # 1\" = 0.5 # \"half\n!\"say \"\"#\"\"\" = F#\n"),
            (Texts{"rain -> wet = 1", "\"No. # 1\" = 0.5", "!\"say \"\"#\"\"\" = 0"}));
  EXPECT_EQ(equations_of("c = T\np = F\n"), (Texts{"c = 1", "p = 0"}));
  EXPECT_EQ(equations_of("\xEF\xBB\xBF"
                         "a = 1\r\n"),
            Texts{"a = 1"});
  EXPECT_EQ(equations_of("1v2 = 1\n", "kb.tsv"), Texts{"1 | 2 = 1"});
  EXPECT_EQ(equations_of("# only a comment\n"), Texts{});
}

TEST(EquationText, ReadsDimacs) {
  EXPECT_EQ(equations_of("c x\np cnf 2 2\n1 -2 0\n2 0\n"), (Texts{"1 | !2 = 1", "2 = 1"}));
  EXPECT_EQ(equations_of("p cnf 1 1\n1 0\n", "x.csv"), Texts{"1 = 1"});
}

TEST(EquationText, PlacesErrorsInTables) {
  // Columns count characters of the line: ä is one, and so is the tab.
  expect_error_in("label\texpression\n1\ta\n1\ta & & b\n", 3, 7, "expected a variable");
  expect_error_in("note\texpression\tlabel\nää\ta &\t1\n", 2, 7, "expected a variable");
  expect_error_in("label,expression\n1,\"\"\"ä\"\" & & b\"\n", 2, 12, "expected a variable");
  expect_error_in("expression\tlabel\na\t2\n", 2, 3,
                  "expected 0, 1, T, F or a number between 0 and 1 as label, found '2'");
  expect_error_in("expression\tlabel\n\t1\n", 2, 1, "expected a variable");
  expect_error_in("expression\tlabel\na = 1\t1\n", 2, 3, "'='");
  expect_error_in("expression\tlabel\na\n", 2, 2, "expected 2 tab-separated fields");
  expect_error_in("expression,label\na\tb,\"1\n", 2, 5, "unterminated quoted field");
  expect_error_in("expression\tlabel\nx\t1\n\"a\x01\"\t1\n", 3, 1, "control");
}

TEST(EquationText, PlacesErrorsInKnowledgeBases) {
  expect_error_in("# x\n\na = T\nä\n", 4, 1, "unexpected character");
  expect_error_in("a = T\n  b & = T # why\n", 2, 7, "expected a variable");
  expect_error_in("a = T\nb\n", 2, 2, "expected '= VALUE'");
  expect_error_in("a = 7\n", 1, 5, "expected T, F");
  expect_error_in("\"a # = T\n", 1, 1, "unterminated quoted name");
}

TEST(EquationText, PlacesErrorsInDimacs) { expect_error_in("p cnf 1 1\n\n 2 0\n", 3, 2, "variable 2 is out of range"); }

TEST(EquationText, ReportsAWrongHeader) {
  expect_error_in("text\tlabel\na\t1\n", 1, 0, "no column 'expression' or 'sent'; the header has 'text', 'label'",
                  "x.tsv");
  expect_error_in("sent,value\na,1\n", 1, 0, "no column 'label'", "x.csv.gz");
  expect_error_in("text\tlabel\na\t1\n", 1, 6, "expected", "x.txt");
}

TEST(EquationFile, NeedsEquations) {
  const TempFolder folder;
  ExpressionPool pool;
  for (const std::string_view text : {"", "# nothing\n", "expression\tlabel\n", "p cnf 0 0\n"}) {
    write_file(folder / "file", text);
    expect_input_error([&] { read_equation_file(folder / "file", pool); }, 0, 0, "no equations", "file");
    expect_input_error([&] { read_equation_data(folder / "file"); }, 0, 0, "no equations", "file");
  }
  expect_input_error([&] { read_equation_data(folder / "none"); }, 0, 0, "No such file", "none");
}

TEST(EquationFolder, ReadsOurFilesAndTheAuthors) {
  const TempFolder folder;
  write_file(folder / "train.csv", "sent\tlabel\n1^~2\t1\n3\t0\n");
  write_file(folder / "validation.tsv.gz", "expression\tlabel\n2\t0\n");
  write_file(folder / "test.csv.gz", "sent,label\n4,1\n");
  write_file(folder / "variable.csv", "variable\tvalue\n2\t0\n1\ttrue\n9\tF\n");
  write_file(folder / "all.csv", "ignored");
  const EquationData data = read_equation_data(folder.path());
  EXPECT_EQ(texts(data.pool, data.train), (Texts{"1 & !2 = 1", "3 = 0"}));
  EXPECT_EQ(texts(data.pool, data.validation), Texts{"2 = 0"});
  EXPECT_EQ(texts(data.pool, data.test), Texts{"4 = 1"});
  EXPECT_FALSE(data.unsplit);
  // Variables are numbered by first occurrence: 1 2 3 4 and 9.
  EXPECT_EQ(data.truth, (Truth{true, false, std::nullopt, std::nullopt, false}));
}

TEST(EquationFolder, OnlyTrainIsNeeded) {
  const TempFolder folder;
  expect_input_error([&] { read_equation_data(folder.path()); }, 0, 0, "expected train.tsv", folder.path().string());
  write_file(folder / "train.tsv", "expression\tlabel\na\t1\n");
  const EquationData data = read_equation_data(folder.path());
  EXPECT_EQ(data.train.size(), 1U);
  EXPECT_EQ(data.validation.size() + data.test.size(), 0U);
  EXPECT_FALSE(data.truth);
  EXPECT_FALSE(data.unsplit);
}

TEST(EquationFolder, TwoFilesForOnePartAreAnError) {
  const TempFolder folder;
  write_file(folder / "train.tsv", "expression\tlabel\na\t1\n");
  const auto expect_both = [&](const char* one, const char* other) {
    const bool had_one = fs::exists(folder / one);
    if (!had_one) write_file(folder / one, "x");
    write_file(folder / other, "x");
    expect_input_error([&] { read_equation_data(folder.path()); }, 0, 0,
                       "found both " + std::string(one) + " and " + other, folder.path().string());
    fs::remove(folder / other);
    if (!had_one) fs::remove(folder / one);
  };
  expect_both("train.tsv", "train.csv");
  expect_both("train.tsv", "train.tsv.gz");
  expect_both("test.csv", "test.csv.gz");
  expect_both("variables.tsv", "variable.csv");
  EXPECT_EQ(read_equation_data(folder.path()).train.size(), 1U);
}

TEST(EquationFolder, ErrorsNameTheirFile) {
  const TempFolder folder;
  write_file(folder / "train.tsv", "expression\tlabel\n");
  expect_input_error([&] { read_equation_data(folder.path()); }, 0, 0, "no equations", "train.tsv");
  write_file(folder / "train.tsv", "expression\tlabel\na\t1\n");
  write_file(folder / "test.csv", "a = T\n");
  expect_input_error([&] { read_equation_data(folder.path()); }, 1, 0, "no column 'expression'", "test.csv");
  write_file(folder / "test.csv", "sent\tlabel\n\na\tx\n");
  expect_input_error([&] { read_equation_data(folder.path()); }, 3, 3, "label", "test.csv");
  fs::remove(folder / "test.csv");
  fs::create_directory(folder / "validation.tsv");
  expect_input_error([&] { read_equation_data(folder.path()); }, 0, 0, "folder", "validation.tsv");
}

TEST(EquationFolder, AFolderWithoutPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const TempFolder folder;
  fs::create_directory(folder / "secret");
  write_file(folder / "secret" / "train.tsv", "expression\tlabel\na\t1\n");
  fs::permissions(folder / "secret", fs::perms::none);
  expect_input_error([&] { read_equation_data(folder / "secret"); }, 0, 0, "ermission", "secret/train.tsv");
  fs::permissions(folder / "secret", fs::perms::owner_all);
}

void expect_truth_error(std::string_view text, std::size_t line, std::size_t column, std::string_view part) {
  SCOPED_TRACE(text);
  ExpressionPool pool;
  expect_input_error([&] { parse_truth(text, "truth", pool); }, line, column, part, "truth");
}

TEST(Truth, PlacesErrors) {
  expect_truth_error("", 0, 0, "empty");
  expect_truth_error("name\tvalue\n", 1, 0, "no column 'variable'; the header has 'name', 'value'");
  expect_truth_error("variable\tlabel\n", 1, 0, "no column 'value'");
  expect_truth_error("variable\tvalue\na\t0.5\n", 2, 3, "expected 0, 1, T, F, true or false as value, found '0.5'");
  expect_truth_error("variable\tvalue\na\t\n", 2, 3, "found ''");
  expect_truth_error("variable\tvalue\na\t1\nb\t1\na\t1\n", 4, 1, "duplicate variable 'a'");
  expect_truth_error("value\tvariable\n1\t\n", 2, 3, "must not be empty");
  expect_truth_error("value\tvariable\n1\t\xFF\n", 2, 3, "UTF-8");
}

TEST(Truth, AddsNewVariablesToThePool) {
  ExpressionPool pool;
  pool.variable("b");
  EXPECT_EQ(parse_truth("variable,value\n\"Star Wars, IV\",1\n", "truth", pool), (Truth{std::nullopt, true}));
  EXPECT_EQ(pool.variables().name(1), "Star Wars, IV");
}

EquationList numbered(ExpressionPool& pool, std::size_t count) {
  EquationList equations;
  for (std::size_t i = 0; i < count; ++i) equations.add(pool.variable(std::to_string(i)), 1.0F);
  return equations;
}

TEST(SplitEquations, FewEquationsStayTogether) {
  ExpressionPool pool;
  const EquationList equations = numbered(pool, 49);
  const EquationData data = split_equations(std::move(pool), equations, 0);
  EXPECT_TRUE(data.unsplit);
  EXPECT_EQ(data.train.expressions, equations.expressions);
  EXPECT_EQ(data.validation.size() + data.test.size(), 0U);
}

TEST(SplitEquations, EveryEquationGoesToOnePart) {
  for (const std::size_t count : {50U, 59U, 60U, 1234U}) {
    ExpressionPool pool;
    const EquationList equations = numbered(pool, count);
    const EquationData data = split_equations(std::move(pool), equations, 7);
    EXPECT_FALSE(data.unsplit);
    EXPECT_EQ(data.validation.size(), count / 10);
    EXPECT_EQ(data.test.size(), count / 10);
    std::vector<Expr> all;
    for (const EquationList* part : {&data.train, &data.validation, &data.test}) {
      all.insert(all.end(), part->expressions.begin(), part->expressions.end());
    }
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all, equations.expressions);
  }
}

TEST(SplitEquations, DependsOnTheSeedAlone) {
  ExpressionPool pool;
  const EquationList equations = numbered(pool, 100);
  const auto test_part = [&](std::uint64_t seed) { return split_equations(pool, equations, seed).test.expressions; };
  EXPECT_EQ(test_part(1), test_part(1));
  EXPECT_NE(test_part(1), test_part(2));
}

TEST(WriteEquationFolder, WritesEveryFile) {
  const TempFolder folder;
  EquationData data;
  data.train.add(parse_expression(data.pool, "~1^2v(3v4)^5"), 1.0F);
  data.train.add(parse_expression(data.pool, "1 -> T"), 0.25F);
  data.train.add(parse_expression(data.pool, "2"), 1e-6F);
  data.truth = Truth{true, std::nullopt, false};
  write_equation_folder(folder / "new" / "folder", data);
  EXPECT_EQ(read_file(folder / "new/folder/train.tsv"),
            "expression\tlabel\n~1^2v(3v4)^5\t1\n1 -> T\t0.25\n2\t0.000001\n");
  EXPECT_EQ(read_file(folder / "new/folder/test.tsv"), "expression\tlabel\n");
  EXPECT_EQ(read_file(folder / "new/folder/variables.tsv"), "variable\tvalue\n1\t1\n3\t0\n");
}

TEST(WriteEquationFolder, RefusesAFileInTheWay) {
  const TempFolder folder;
  write_file(folder / "file", "x");
  EXPECT_THROW(write_equation_folder(folder / "file", EquationData()), InputError);
}

// The contents of a data set, independent of the numbering of its variables.
std::vector<Texts> content(const EquationData& data) {
  std::vector<Texts> parts = {texts(data.pool, data.train), texts(data.pool, data.validation),
                              texts(data.pool, data.test)};
  Texts truth;
  for (VariableId id = 0; data.truth && id < data.truth->size(); ++id) {
    if ((*data.truth)[id]) truth.push_back(data.pool.variables().name(id) + ((*data.truth)[id].value() ? "=1" : "=0"));
  }
  std::sort(truth.begin(), truth.end());
  parts.push_back(truth);
  return parts;
}

RC_GTEST_PROP(WriteEquationFolder, RoundTrips, ()) {
  const std::vector<std::string> names =
      *rc::gen::element(std::vector<std::string>{"1", "22", "3"},
                        std::vector<std::string>{"a", "v1", "T", "not", "5", "Star, \"Wars\" #1", "ä ", "v"});
  EquationData data;
  const auto operand = [&] {
    Expr e = data.pool.variable(names[*rc::gen::inRange<std::size_t>(0, names.size())]);
    if (*rc::gen::inRange(0, 10) == 0) e = data.pool.constant(*rc::gen::arbitrary<bool>());
    return *rc::gen::arbitrary<bool>() ? data.pool.negation(e) : e;
  };
  const auto expression = [&](auto&& self, int depth) -> Expr {
    if (depth == 0) return operand();
    const auto op = *rc::gen::element(Op::kAnd, Op::kOr, Op::kAnd, Op::kOr, Op::kXor, Op::kImplies, Op::kIff);
    std::vector<Expr> operands;
    for (int i = *rc::gen::inRange(2, 4); i > 0; --i) operands.push_back(self(self, depth - 1));
    return data.pool.chain(op, operands);
  };
  for (EquationList* part : {&data.train, &data.validation, &data.test}) {
    for (int i = *rc::gen::inRange(part == &data.train ? 1 : 0, 4); i > 0; --i) {
      part->add(expression(expression, *rc::gen::inRange(0, 3)), *rc::gen::element(0.0F, 1.0F, 0.25F, 0.5F));
    }
  }
  if (*rc::gen::arbitrary<bool>()) {
    data.truth.emplace(data.pool.variables().size());
    for (auto& value : *data.truth) value = *rc::gen::element<std::optional<bool>>(true, false, std::nullopt);
  }
  const TempFolder folder;
  write_equation_folder(folder.path(), data);
  const EquationData back = read_equation_data(folder.path());
  RC_ASSERT(content(back) == content(data));
  RC_ASSERT(back.truth.has_value() == data.truth.has_value());
  RC_ASSERT(back.train.labels == data.train.labels);
}

}  // namespace
}  // namespace linn
