// How well the modules of a trained LINN obey the laws of logic: the ten laws of its loss, and others that it was not
// trained on.
//
//   ModuleRows modules(model.network, pool);
//   for (const AuditLaw& law : audit_laws()) figures = audit_law(modules, law, vectors, cases);
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "linn/base/random.h"
#include "linn/kernels/matrix.h"
#include "linn/logic/normal_form.h"
#include "linn/model/logic_model.h"
#include "linn/nn/module_rows.h"

namespace linn {

// Both sides are expressions over a, b and c, which stand for any vectors. The modules evaluate them exactly as
// written, without simplification.
struct AuditLaw {
  std::string name;
  std::string left;
  std::string right;
  bool differ = false;  // the sides are opposites, not equal
  bool taught = false;  // one of the ten laws of the loss
};

// The ten laws in the order of the paper; then commutativity, associativity, distributivity, De Morgan, absorption.
const std::vector<AuditLaw>& audit_laws();

// The number of placeholders among a, b and c that occur.
std::size_t places_of(const AuditLaw& law);

struct AuditFigures {
  std::size_t cases = 0;
  double similarity = 0.0;  // the mean of Sim(left, right); low is good where the sides are opposites
  double agreement = 0.0;   // the share of cases in which both sides are true (p >= 1/2) or neither is; where the sides
                            // are opposites, exactly one
  double difference = 0.0;  // the mean of |p_left - p_right|; where the sides are opposites, |p_left + p_right - 1|
};

// The rows for a, b and c in every case: rows[place][case]. With one place, every vector once or, if there are more
// than `cases`, a random sample; otherwise so many random tuples, of distinct vectors if there are enough.
std::vector<std::vector<std::uint32_t>> draw_audit_cases(std::size_t vectors, std::size_t places, std::size_t cases,
                                                         Random& random);

// Evaluates the law on the given cases; all zeros without cases.
AuditFigures audit_law(ModuleRows& modules, const AuditLaw& law, const ConstMatrixView& vectors,
                       const std::vector<std::vector<std::uint32_t>>& cases);

// The figures of one law on the vectors of variables and of expressions.
struct LawAudit {
  const AuditLaw* law = nullptr;
  AuditFigures variables;
  AuditFigures expressions;
};

// Audits all laws, in the order of audit_laws(), on at most so many random cases each; without rows there are none.
std::vector<LawAudit> audit_modules(const LogicNetwork& network, const ConstMatrixView& variables,
                                    const ConstMatrixView& expressions, std::size_t cases, std::uint64_t seed,
                                    ThreadPool& threads);

// The vectors that the network computes for expressions over the model's variables, one row each.
Matrix expression_vectors(const LogicModel& model, std::span<const NormalForm> expressions, ThreadPool& pool);

}  // namespace linn
