// How well the modules of a trained LINN obey the laws of logic: the ten that it was taught, and those that it never
// saw.
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
#include "linn/layers/layer.h"
#include "linn/logic/normal_form.h"
#include "linn/model/logic_model.h"
#include "linn/nn/module_rows.h"

namespace linn {

// Both sides are expressions over a, b and c, which stand for any vectors, and are built from the modules exactly as
// they are written, nothing being simplified.
struct AuditLaw {
  std::string name;
  std::string left;
  std::string right;
  bool differ = false;  // the sides are opposites, not equal
  bool taught = false;  // one of the ten laws of the loss
};

// The ten laws in the order of the paper; then commutativity, associativity, distributivity, De Morgan, absorption.
const std::vector<AuditLaw>& audit_laws();

// How many of a, b and c occur.
std::size_t places_of(const AuditLaw& law);

struct AuditFigures {
  std::size_t cases = 0;
  double similarity = 0.0;  // the mean of Sim(left, right); low is good where the sides are opposites
  double agreement = 0.0;   // the share of cases in which both sides are true (p >= 1/2) or both are not; where the
                            // sides are opposites, one of them
  double difference = 0.0;  // the mean of |p_left - p_right|; where the sides are opposites, |p_left + p_right - 1|
};

// Rows that stand for a, b and c in every case: rows[place][case]. With one place, every vector once or, if there are
// more than `cases`, a random choice of them; otherwise so many random tuples, of different vectors where there are
// enough.
std::vector<std::vector<std::uint32_t>> draw_audit_cases(std::size_t vectors, std::size_t places, std::size_t cases,
                                                         Random& random);

// The law on the given cases; all zero without any.
AuditFigures audit_law(ModuleRows& modules, const AuditLaw& law, const ConstMatrixView& vectors,
                       const std::vector<std::vector<std::uint32_t>>& cases);

// The vectors of expressions, as the network makes them; their variables are the model's. A row each.
Matrix expression_vectors(const LogicModel& model, std::span<const NormalForm> expressions, ThreadPool& pool);

}  // namespace linn
