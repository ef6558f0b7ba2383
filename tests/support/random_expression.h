// Random expressions, and naive implementations of the library functions on them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linn/base/random.h"
#include "linn/logic/expression.h"

namespace linn {

// Names that need quotes, resemble keywords or numbers, or sort in surprising ways.
inline constexpr std::array<std::string_view, 18> kWeirdNames = {
    "v",    "1v2",  "007", "7",    "T1", "t", "xor", "NOT", "true", "F", "a & b", "a\"b", "Star Wars (1977)",
    "élan", "日本", "=1",  "# no", "\\"};

struct RandomExpressionOptions {
  std::size_t variables = 6;
  std::size_t leaves = 12;  // the approximate maximum
  std::size_t most_operands = 4;
  bool constants = true;
  bool all_operators = true;  // false: not, and, or only
  enum class Names : std::uint8_t { kPlain, kNumbers, kWeird } names = Names::kPlain;
};

class RandomExpression {
 public:
  RandomExpression(ExpressionPool& pool, std::uint64_t seed, const RandomExpressionOptions& options = {})
      : pool_(pool), random_(seed), options_(options) {}

  // Sizes vary from a single leaf to the limit.
  Expr make() { return make(1 + random_.below(options_.leaves)); }

  Random& random() { return random_; }

 private:
  using Names = RandomExpressionOptions::Names;

  Expr make(std::size_t leaves) {
    if (random_.chance(0.25)) return pool_.negation(make(leaves));
    if (leaves == 1) return leaf();
    const std::size_t most = std::min(leaves, options_.most_operands);
    const std::size_t count = static_cast<std::size_t>(random_.between(2, static_cast<std::int64_t>(most)));
    std::vector<Expr> operands;
    for (std::size_t left = leaves, i = 0; i < count; ++i) {
      const std::size_t rest = count - i - 1;
      const std::size_t share = rest == 0 ? left : 1 + random_.below(left - rest);
      operands.push_back(make(share));
      left -= share;
    }
    return pool_.chain(connective(), operands);
  }

  Op connective() {
    constexpr std::array<Op, 9> kOps = {Op::kAnd, Op::kOr,      Op::kAnd, Op::kOr, Op::kAnd,
                                        Op::kOr,  Op::kImplies, Op::kXor, Op::kIff};
    return kOps[random_.below(options_.all_operators ? kOps.size() : 2)];
  }

  Expr leaf() {
    if (options_.constants && random_.chance(0.05)) return pool_.constant(random_.chance(0.5));
    const std::size_t number = random_.below(options_.variables);
    switch (options_.names) {
      case Names::kNumbers:
        return pool_.variable(std::to_string(number));
      case Names::kWeird:
        return pool_.variable(kWeirdNames[number % kWeirdNames.size()]);
      case Names::kPlain:
        break;
    }
    return pool_.variable(fmt::format("x{}", number));
  }

  ExpressionPool& pool_;
  Random random_;
  RandomExpressionOptions options_;
};

// The same expression in another pool, with the operands of And and Or in another order.
inline Expr shuffled_copy(const ExpressionPool& from, Expr e, ExpressionPool& to, Random& random) {
  const Op op = from.op(e);
  if (op < Op::kVariable) return to.constant(op == Op::kTrue);
  if (op == Op::kVariable) return to.variable(from.variables().name(from.variable_of(e)));
  std::vector<Expr> operands(from.operands(e).begin(), from.operands(e).end());
  if (op == Op::kAnd || op == Op::kOr) random.shuffle(std::span(operands));
  for (Expr& operand : operands) operand = shuffled_copy(from, operand, to, random);
  return op == Op::kNot ? to.negation(operands[0]) : to.chain(op, operands);
}

// Recursively, two operands at a time.
inline bool evaluate_naively(const ExpressionPool& pool, Expr e, std::span<const std::uint8_t> values) {
  const auto operands = pool.operands(e);
  const auto value = [&](std::size_t i) { return evaluate_naively(pool, operands[i], values); };
  const auto fold = [&](const std::function<bool(bool, bool)>& join) {
    bool result = value(0);
    for (std::size_t i = 1; i < operands.size(); ++i) result = join(result, value(i));
    return result;
  };
  switch (pool.op(e)) {
    case Op::kFalse:
      return false;
    case Op::kTrue:
      return true;
    case Op::kVariable:
      return values[pool.variable_of(e)] != 0;
    case Op::kNot:
      return !value(0);
    case Op::kAnd:
      return fold([](bool a, bool b) { return a && b; });
    case Op::kOr:
      return fold([](bool a, bool b) { return a || b; });
    case Op::kXor:
      return fold([](bool a, bool b) { return a != b; });
    case Op::kIff:
      return fold([](bool a, bool b) { return a == b; });
    case Op::kImplies: {
      bool result = value(operands.size() - 1);
      for (std::size_t i = operands.size() - 1; i-- > 0;) result = !value(i) || result;
      return result;
    }
  }
  return false;
}

// The value under each of the 2^variables assignments.
inline std::vector<bool> truth_table(std::size_t variables,
                                     const std::function<bool(std::span<const std::uint8_t>)>& value) {
  std::vector<bool> table;
  std::vector<std::uint8_t> values(variables);
  for (std::size_t row = 0; row < std::size_t{1} << variables; ++row) {
    for (std::size_t v = 0; v < variables; ++v) values[v] = static_cast<std::uint8_t>((row >> v) & 1U);
    table.push_back(value(values));
  }
  return table;
}

}  // namespace linn
