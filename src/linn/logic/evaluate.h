// Evaluates expressions under an assignment.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linn/logic/expression.h"
#include "linn/logic/normal_form.h"

namespace linn {

// values[v] is the value (0 or 1) of variable v; every variable of the expression must have one.
class Evaluator {
 public:
  bool evaluate(const ExpressionPool& pool, Expr root, std::span<const std::uint8_t> values);

 private:
  Walk walk_;
  std::vector<std::uint8_t> value_of_node_;
};

bool evaluate(const ExpressionPool& pool, Expr root, std::span<const std::uint8_t> values);
bool evaluate(const NormalForm& normal_form, std::span<const std::uint8_t> values);

}  // namespace linn
