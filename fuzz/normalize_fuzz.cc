// Interprets the bytes as a postfix program that builds an expression over six variables: its normal forms must be
// equivalent to it, in form and simplified, and normalising them again must not change them.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "linn/base/error.h"
#include "linn/logic/evaluate.h"
#include "linn/logic/normal_form.h"
#include "linn/logic/parse.h"
#include "linn/logic/print.h"

namespace {

using linn::Expr;
using linn::ExpressionPool;
using linn::Form;
using linn::NormalForm;
using linn::Op;

constexpr std::size_t kVariables = 6;

void require(bool holds) {
  if (!holds) std::abort();
}

// The low half of a byte is the operation, the high half the number of operands.
Expr build(ExpressionPool& pool, std::span<const std::uint8_t> program) {
  constexpr std::size_t kMaxSteps = 64;
  std::vector<Expr> stack;
  for (const std::uint8_t byte : program.first(std::min(program.size(), kMaxSteps))) {
    const unsigned what = byte & 15U;
    const unsigned count = byte >> 4U;
    if (what < 7 || stack.empty()) {
      const Expr variable = pool.variable(static_cast<linn::VariableId>(count % kVariables));
      stack.push_back(what % 2 == 0 ? variable : pool.negation(variable));
    } else if (what == 7) {
      stack.push_back(pool.constant(count % 2 == 0));
    } else if (what == 8) {
      stack.back() = pool.negation(stack.back());
    } else if (what == 9) {
      stack.push_back(stack[stack.size() - 1 - count % stack.size()]);
    } else {
      constexpr std::array<Op, 6> kOps = {Op::kAnd, Op::kOr, Op::kXor, Op::kImplies, Op::kIff, Op::kAnd};
      const std::size_t first = stack.size() - std::min<std::size_t>(stack.size(), std::max(count, 2U));
      const Expr made = pool.chain(kOps[what - 10], std::span(stack).subspan(first));
      stack.resize(first);
      stack.push_back(made);
    }
  }
  return pool.chain(Op::kOr, stack);
}

// A truth table in one word: bit r is the value when variable v has bit v of r.
using Table = std::uint64_t;
constexpr std::array<Table, kVariables> kVariableTables = {0xAAAAAAAAAAAAAAAA, 0xCCCCCCCCCCCCCCCC, 0xF0F0F0F0F0F0F0F0,
                                                           0xFF00FF00FF00FF00, 0xFFFF0000FFFF0000, 0xFFFFFFFF00000000};

Table table_of(const ExpressionPool& pool, Expr root) {
  std::vector<Table> tables(pool.size());
  linn::Walk walk;
  for (const Expr e : walk.post_order(pool, root)) {
    const Op op = pool.op(e);
    const auto operands = pool.operands(e);
    Table table = op == Op::kTrue ? ~Table{0} : 0;
    if (op == Op::kVariable) table = kVariableTables[pool.variable_of(e)];
    if (op == Op::kNot) table = ~tables[operands[0].index];
    if (op >= Op::kAnd) {
      const bool right = op == Op::kImplies;
      table = tables[(right ? operands.back() : operands.front()).index];
      for (std::size_t i = 1; i < operands.size(); ++i) {
        const Table next = tables[operands[right ? operands.size() - 1 - i : i].index];
        if (op == Op::kAnd) table &= next;
        if (op == Op::kOr) table |= next;
        if (op == Op::kXor) table ^= next;
        if (op == Op::kIff) table = ~(table ^ next);
        if (op == Op::kImplies) table |= ~next;
      }
    }
    tables[e.index] = table;
  }
  return tables[root.index];
}

// The library's evaluation of one row of the table.
bool value_in_row(std::size_t row, const auto& evaluate_with) {
  std::array<std::uint8_t, kVariables> values{};
  for (std::size_t v = 0; v < kVariables; ++v) values[v] = static_cast<std::uint8_t>((row >> v) & 1U);
  return evaluate_with(std::span<const std::uint8_t>(values));
}

// No literal is repeated or contradicted, and no clause is a superset of another.
void check_simplified(const NormalForm& normal_form) {
  std::vector<std::vector<linn::Literal>> clauses;
  for (std::size_t i = 0; i < normal_form.clauses(); ++i) {
    const auto clause = normal_form.clause(i);
    auto& sorted = clauses.emplace_back(clause.begin(), clause.end());
    std::ranges::sort(sorted);
    for (std::size_t j = 1; j < sorted.size(); ++j) require(sorted[j - 1].variable() != sorted[j].variable());
  }
  for (std::size_t i = 0; i < clauses.size(); ++i) {
    for (std::size_t j = 0; j < clauses.size(); ++j) {
      require(i == j || !std::ranges::includes(clauses[i], clauses[j]));
    }
  }
}

void check_negation_normal_form(const ExpressionPool& pool, Expr root) {
  linn::Walk walk;
  for (const Expr e : walk.post_order(pool, root)) {
    const Op op = pool.op(e);
    require(op == Op::kVariable || op == Op::kNot || op == Op::kAnd || op == Op::kOr || e == root);
    if (op == Op::kNot) require(pool.op(pool.operands(e)[0]) == Op::kVariable);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ExpressionPool pool;
  for (std::size_t v = 0; v < kVariables; ++v) pool.variables().intern(std::string(1, static_cast<char>('a' + v)));
  const Expr root = build(pool, std::span(data, size));

  const Table table = table_of(pool, root);
  for (const std::size_t row : {size % 64, (size * 37 + 11) % 64}) {
    const bool value = value_in_row(row, [&](auto values) { return evaluate(pool, root, values); });
    require(value == ((table >> row & 1U) != 0));
  }

  const Expr negation_normal_form = to_negation_normal_form(pool, root);
  check_negation_normal_form(pool, negation_normal_form);
  require(table_of(pool, negation_normal_form) == table);

  linn::NormalFormLimits limits;
  limits.max_literals = 250;
  linn::Normalizer normalizer(pool, limits);
  for (const Form form : {Form::kDnf, Form::kCnf}) {
    try {
      const NormalForm normal_form = normalizer.normalize(root, form);
      check_simplified(normal_form);
      const Expr again = linn::parse_expression(pool, to_string(pool, normal_form));
      require(table_of(pool, again) == table);
      for (const std::size_t row : {size % 64, (size * 37 + 11) % 64}) {
        const bool value = value_in_row(row, [&](auto values) { return evaluate(normal_form, values); });
        require(value == ((table >> row & 1U) != 0));
      }
      require(is_in_form(pool, again, form));
      require(clauses_as_written(pool, again, form) == normal_form);
      require(normalizer.normalize(again, form) == normal_form);
    } catch (const linn::InputError& error) {
      require(error.message().find("raise max_literals") != std::string::npos);
    }
  }
  return 0;
}
