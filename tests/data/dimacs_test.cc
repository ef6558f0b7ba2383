#include "linn/data/dimacs.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "linn/logic/print.h"
#include "support/expect_error.h"

namespace linn {
namespace {

std::vector<std::string> clauses_of(std::string_view text) {
  ExpressionPool pool;
  std::vector<std::string> clauses;
  for (const Expr clause : parse_dimacs(pool, text)) clauses.push_back(to_string(pool, clause));
  return clauses;
}

void expect_dimacs_error(std::string_view text, std::size_t line, std::size_t column, std::string_view part) {
  SCOPED_TRACE(text);
  ExpressionPool pool;
  expect_input_error([&] { parse_dimacs(pool, text, "x.cnf"); }, line, column, part, "x.cnf");
}

using Clauses = std::vector<std::string>;

TEST(IsDimacs, LooksForTheHeader) {
  EXPECT_TRUE(is_dimacs("p cnf 1 1\n1 0\n"));
  EXPECT_TRUE(is_dimacs("c a comment\n\ncanother\r\n  p \t cnf 1"));
  EXPECT_TRUE(is_dimacs("\xEF\xBB\xBFp cnf 1 1\n"));
  EXPECT_FALSE(is_dimacs(""));
  EXPECT_FALSE(is_dimacs("c only\n"));
  EXPECT_FALSE(is_dimacs("c = T\nd = F\n"));
  EXPECT_FALSE(is_dimacs("p = T\n"));
  EXPECT_FALSE(is_dimacs("pcnf 1 1\n"));
  EXPECT_FALSE(is_dimacs("1 0\np cnf 1 1\n"));
}

TEST(Dimacs, ReadsClauses) {
  EXPECT_EQ(clauses_of("c hello\np cnf 3 2\n1 -2 0\n3 0\n"), (Clauses{"1 | !2", "3"}));
  EXPECT_EQ(clauses_of("p cnf 0 0\n"), Clauses{});
  EXPECT_EQ(clauses_of("p cnf 3 1\r\n 1  -1\t1 0 \r\n"), Clauses{"1 | !1 | 1"});
}

TEST(Dimacs, ClausesMaySpanLines) {
  EXPECT_EQ(clauses_of("p cnf 4 3\n1 2\nc between\n\n 3 0 -1\n0 4 0"), (Clauses{"1 | 2 | 3", "!1", "4"}));
}

TEST(Dimacs, AnEmptyClauseIsFalse) { EXPECT_EQ(clauses_of("p cnf 1 2\n0 1 0\n"), (Clauses{"F", "1"})); }

TEST(Dimacs, APercentSignEndsTheFile) { EXPECT_EQ(clauses_of("p cnf 2 1\n1 2 0\n%\n0\n\nwhatever"), Clauses{"1 | 2"}); }

TEST(Dimacs, LeadingZerosAreIgnored) { EXPECT_EQ(clauses_of("p cnf 7 1\n007 -07 0"), Clauses{"7 | !7"}); }

TEST(Dimacs, HugeDeclaredCountsCostNothing) {
  expect_dimacs_error("p cnf 18446744073709551615 18446744073709551615\n1 0\n", 1, 0, "but the file has 1");
  EXPECT_EQ(clauses_of("p cnf 18446744073709551615 1\n-18446744073709551615 0\n"), Clauses{"!18446744073709551615"});
}

TEST(Dimacs, BadHeader) {
  expect_dimacs_error("", 0, 0, "expected a line 'p cnf");
  expect_dimacs_error("c only\n", 0, 0, "expected a line 'p cnf");
  expect_dimacs_error("c x\n  1 0\n", 2, 3, "expected a comment or the line");
  expect_dimacs_error("p sat 1 1\n", 1, 3, "expected 'cnf'");
  expect_dimacs_error("p\n", 1, 2, "expected 'cnf'");
  expect_dimacs_error("p cnf x 1\n", 1, 7, "expected the number of variables, found 'x'");
  expect_dimacs_error("p cnf -1 1\n", 1, 7, "expected the number of variables");
  expect_dimacs_error("p cnf 1\n", 1, 8, "expected the number of clauses, found the end of the line");
  expect_dimacs_error("p cnf 1 99999999999999999999\n", 1, 9, "expected the number of clauses");
  expect_dimacs_error("p cnf 1 1 1\n", 1, 11, "expected the end of the line, found '1'");
}

TEST(Dimacs, BadLiterals) {
  expect_dimacs_error("p cnf 2 1\n1 x 0\n", 2, 3, "found 'x'");
  expect_dimacs_error("p cnf 2 1\n1 2x 0\n", 2, 3, "found '2x'");
  expect_dimacs_error("p cnf 2 1\n+1 0\n", 2, 1, "found '+1'");
  expect_dimacs_error("p cnf 2 1\n1 - 2 0\n", 2, 3, "found '-'");
  expect_dimacs_error("p cnf 2 1\n1 -0\n", 2, 3, "found '-0'");
  expect_dimacs_error("p cnf 2 1\n1 --2 0\n", 2, 3, "found '--2'");
  expect_dimacs_error("p cnf 2 1\n1 99999999999999999999 0\n", 2, 3, "found '9999");
  expect_dimacs_error("p cnf 2 1\n1\np cnf 2 1\n", 3, 1, "found 'p'");
  expect_dimacs_error("p cnf 2 1\n1 ä 3 0\n", 2, 3, "found 'ä'");
}

TEST(Dimacs, CountsThatDoNotMatch) {
  expect_dimacs_error("p cnf 2 1\n1\n -3 0\n", 3, 2, "variable 3 is out of range: the header declares 2");
  expect_dimacs_error("p cnf 2 2\n1 0\n", 1, 0, "declares 2 clauses, but the file has 1");
  expect_dimacs_error("p cnf 2 1\n1 0 2 0\n", 2, 5, "declares 1 clauses, but the file has more");
  expect_dimacs_error("p cnf 2 1\n1 0 0\n", 2, 5, "declares 1 clauses, but the file has more");
}

TEST(Dimacs, UnterminatedClauses) {
  expect_dimacs_error("p cnf 2 2\n1 0 -2\n1\n", 2, 5, "not terminated by 0");
  expect_dimacs_error("p cnf 2 1\n2 1\n%\n0\n", 2, 1, "not terminated by 0");
}

RC_GTEST_PROP(Dimacs, PrintedClausesParseBack, ()) {
  const int variables = *rc::gen::inRange(1, 30);
  const auto literal = rc::gen::map(rc::gen::pair(rc::gen::inRange(1, variables + 1), rc::gen::arbitrary<bool>()),
                                    [](const auto& p) { return p.second ? -p.first : p.first; });
  const auto clauses =
      *rc::gen::container<std::vector<std::vector<int>>>(rc::gen::container<std::vector<int>>(literal));
  std::string text = "p cnf " + std::to_string(variables) + " " + std::to_string(clauses.size()) + "\n";
  for (const auto& clause : clauses) {
    for (const int l : clause) text += std::to_string(l) + *rc::gen::element<std::string>(" ", "\n", "\nc 1 0\n");
    text += *rc::gen::element<std::string>("0\n", "0 ", "0\t\r\n");
  }
  ExpressionPool pool;
  const std::vector<Expr> parsed = parse_dimacs(pool, text);
  RC_ASSERT(parsed.size() == clauses.size());
  for (std::size_t i = 0; i < clauses.size(); ++i) {
    std::vector<Expr> expected;
    for (const int l : clauses[i]) {
      const Expr variable = pool.variable(std::to_string(std::abs(l)));
      expected.push_back(l < 0 ? pool.negation(variable) : variable);
    }
    RC_ASSERT(parsed[i] == pool.disjunction(std::span<const Expr>(expected)));
  }
}

}  // namespace
}  // namespace linn
