// Under how many of many assignments an expression is true: 64 assignments at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linn/logic/expression.h"

namespace linn {

// Assignments of the same variables, by variable: bit s of its words is its value in assignment s.
class AssignmentBits {
 public:
  // `rows`: one row per assignment, one byte (0 or 1) per variable.
  AssignmentBits(std::size_t variables, std::span<const std::uint8_t> rows);

  std::size_t size() const { return size_; }
  std::size_t words() const { return words_; }
  const std::uint64_t* of(std::size_t variable) const { return bits_.data() + variable * words_; }

 private:
  std::size_t size_;
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

class AssignmentCounter {
 public:
  // The number of assignments under which the expression is true. `variables[v]` are the bits of variable v of the
  // pool; every variable of the expression must have them.
  std::size_t count(const ExpressionPool& pool, Expr root, const AssignmentBits& assignments,
                    std::span<const std::uint64_t* const> variables);

 private:
  Walk walk_;
  std::vector<const std::uint64_t*> value_of_node_;
  std::vector<std::uint64_t> values_;  // of the nodes of the expression that are no variables
};

}  // namespace linn
