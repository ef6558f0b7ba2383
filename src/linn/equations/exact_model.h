// The reference reasoner as a model: the probability of an expression is the share of sampled assignments that satisfy
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "linn/equations/equation_kind.h"
#include "linn/equations/equation_model.h"
#include "linn/equations/gibbs.h"
#include "linn/logic/count_assignments.h"

namespace linn {

class ExactModel : public EquationModel {
 public:
  // `assignments`: one row per sample, one byte per variable.
  ExactModel(Vocabulary names, std::vector<std::uint8_t> assignments, double label_noise)
      : names_(std::move(names)),
        assignments_(std::move(assignments)),
        bits_(names_.size(), assignments_),
        label_noise_(label_noise) {}

  const Vocabulary& names() const override { return names_; }
  std::vector<float> probabilities(ExpressionPool& pool, std::span<const Expr> expressions,
                                   ThreadPool& threads) const override;
  void write(SafetensorsWriter& out) const override;

 private:
  Vocabulary names_;
  std::vector<std::uint8_t> assignments_;
  AssignmentBits bits_;
  double label_noise_;
};

// Samples assignments from the posterior given the equations. Throws InputError like gibbs_reason().
std::unique_ptr<EquationModel> fit_exact(ExpressionPool& pool, const EquationList& equations, GibbsOptions options);

std::unique_ptr<const EquationKind> exact_kind();

}  // namespace linn
