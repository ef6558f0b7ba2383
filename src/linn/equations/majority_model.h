// Predicts the share of true labels for every expression.
#pragma once

#include <memory>
#include <utility>

#include "linn/equations/equation_kind.h"
#include "linn/equations/equation_model.h"

namespace linn {

class MajorityModel : public EquationModel {
 public:
  MajorityModel(Vocabulary names, float share) : names_(std::move(names)), share_(share) {}

  const Vocabulary& names() const override { return names_; }
  std::vector<float> probabilities(ExpressionPool& pool, std::span<const Expr> expressions,
                                   ThreadPool& threads) const override;
  void write(SafetensorsWriter& out) const override;

 private:
  Vocabulary names_;
  float share_;
};

std::unique_ptr<const EquationKind> majority_kind();

}  // namespace linn
