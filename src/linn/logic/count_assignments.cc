#include "linn/logic/count_assignments.h"

#include <algorithm>
#include <bit>

namespace linn {
namespace {

constexpr std::size_t kBits = 64;

}  // namespace

// Without variables there is exactly one assignment, the empty one.
AssignmentBits::AssignmentBits(std::size_t variables, std::span<const std::uint8_t> rows)
    : size_(variables == 0 ? 1 : rows.size() / variables),
      words_((size_ + kBits - 1) / kBits),
      bits_(variables * words_) {
  for (std::size_t s = 0; s < size_; ++s) {
    for (std::size_t v = 0; v < variables; ++v) {
      if (rows[s * variables + v] != 0) bits_[v * words_ + s / kBits] |= std::uint64_t{1} << (s % kBits);
    }
  }
}

std::size_t AssignmentCounter::count(const ExpressionPool& pool, Expr root, const AssignmentBits& assignments,
                                     std::span<const std::uint64_t* const> variables) {
  const std::span<const Expr> nodes = walk_.post_order(pool, root);
  const std::size_t words = assignments.words();
  if (value_of_node_.size() < pool.size()) value_of_node_.resize(pool.size());
  values_.resize(nodes.size() * words);
  std::uint64_t* next = values_.data();
  const auto value = [&](Expr e) { return value_of_node_[e.index]; };
  for (const Expr e : nodes) {
    if (pool.op(e) == Op::kVariable) {
      value_of_node_[e.index] = variables[pool.variable_of(e)];
      continue;
    }
    const std::span<const Expr> operands = pool.operands(e);
    std::uint64_t* const out = next;
    next += words;
    value_of_node_[e.index] = out;
    // Folds the operands from the left.
    const auto fold = [&](std::span<const Expr> some, const auto& join) {
      std::copy_n(value(some[0]), words, out);
      for (const Expr operand : some.subspan(1)) {
        const std::uint64_t* const in = value(operand);
        for (std::size_t w = 0; w < words; ++w) out[w] = join(out[w], in[w]);
      }
    };
    switch (pool.op(e)) {
      case Op::kFalse:
      case Op::kVariable:
        std::fill_n(out, words, std::uint64_t{0});
        break;
      case Op::kTrue:
        std::fill_n(out, words, ~std::uint64_t{0});
        break;
      case Op::kNot:
        for (std::size_t w = 0; w < words; ++w) out[w] = ~value(operands[0])[w];
        break;
      case Op::kAnd:
        fold(operands, [](std::uint64_t a, std::uint64_t b) { return a & b; });
        break;
      case Op::kOr:
        fold(operands, [](std::uint64_t a, std::uint64_t b) { return a | b; });
        break;
      case Op::kXor:
        fold(operands, [](std::uint64_t a, std::uint64_t b) { return a ^ b; });
        break;
      case Op::kIff:
        fold(operands, [](std::uint64_t a, std::uint64_t b) { return ~(a ^ b); });
        break;
      case Op::kImplies:
        // a -> (b -> c): false only if all premises hold and the conclusion does not.
        fold(operands.first(operands.size() - 1), [](std::uint64_t a, std::uint64_t b) { return a & b; });
        for (std::size_t w = 0; w < words; ++w) out[w] = ~out[w] | value(operands.back())[w];
        break;
    }
  }
  std::size_t count = 0;
  for (std::size_t w = 0; w < words; ++w) {
    std::uint64_t bits = value(root)[w];
    if (w + 1 == words && assignments.size() % kBits != 0) {  // beyond the last assignment
      bits &= (std::uint64_t{1} << (assignments.size() % kBits)) - 1;
    }
    count += static_cast<std::size_t>(std::popcount(bits));
  }
  return count;
}

}  // namespace linn
