#include "linn/logic/count_assignments.h"

#include <gtest/gtest.h>

#include "linn/base/random.h"
#include "linn/logic/evaluate.h"
#include "linn/logic/parse.h"

namespace linn {
namespace {

// The twin: evaluates the expression under one assignment after the other.
std::size_t count_one_by_one(const ExpressionPool& pool, Expr root, std::size_t variables,
                             std::span<const std::uint8_t> rows) {
  std::size_t count = 0;
  for (std::size_t s = 0; s < rows.size() / variables; ++s) {
    count += evaluate(pool, root, rows.subspan(s * variables, variables)) ? 1 : 0;
  }
  return count;
}

TEST(CountAssignments, AgreesWithEvaluatingOneByOne) {
  Random random(7);
  for (const std::size_t size : {1U, 63U, 64U, 65U, 200U}) {
    ExpressionPool pool;
    AssignmentCounter counter;
    constexpr std::size_t kVariables = 6;
    for (std::size_t v = 0; v < kVariables; ++v) pool.variable(std::string(1, static_cast<char>('a' + v)));
    std::vector<std::uint8_t> rows(size * kVariables);
    for (std::uint8_t& value : rows) value = random.chance(0.5) ? 1 : 0;
    const AssignmentBits bits(kVariables, rows);
    std::vector<const std::uint64_t*> variables;
    for (std::size_t v = 0; v < kVariables; ++v) variables.push_back(bits.of(v));
    for (const char* text : {"T", "F", "a", "!a", "a & b & !c", "a | b | F", "a ^ b ^ c", "a <-> b <-> c",
                             "a -> b -> c", "(a -> b) & !(c ^ (d | !e)) | (f <-> a) & T", "!(a & !a)"}) {
      const Expr root = parse_expression(pool, text);
      EXPECT_EQ(counter.count(pool, root, bits, variables), count_one_by_one(pool, root, kVariables, rows)) << text;
    }
  }
}

TEST(CountAssignments, WithoutVariablesThereIsOneAssignment) {
  ExpressionPool pool;
  const AssignmentBits bits(0, {});
  AssignmentCounter counter;
  EXPECT_EQ(counter.count(pool, pool.constant(true), bits, {}), 1U);
  EXPECT_EQ(counter.count(pool, pool.constant(false), bits, {}), 0U);
}

}  // namespace
}  // namespace linn
