#include "linn/nn/operation_count.h"

#include <array>

namespace linn {
namespace {

using Slots = std::array<bool, kSlots>;  // in the order of Slot

// The vectors that laws need projected, and for which slots, with operands in the order of the table: w is the left
// operand of its gate, and T, F, w or NOT(w) the right one.
struct LawSlots {
  Slots w, not_w, t, f;
};

}  // namespace

double multiply_adds(const Plan& plan, const LogicNetwork& network, const RegularizerOptions* regularizers) {
  const auto d = static_cast<double>(network.width());
  const auto slot = [&](std::size_t i) { return d * static_cast<double>(network.hidden(static_cast<Slot>(i))); };
  const double negation_in = d * static_cast<double>(network.negation_hidden());
  const auto gate_head = [&](Gate gate) { return static_cast<double>(network.gate(gate).head->multiply_adds()); };
  const double negation = negation_in + static_cast<double>(network.negation().head->multiply_adds());
  const auto similarity = static_cast<double>(network.similarity().multiply_adds());
  const auto law_similarity = static_cast<double>(network.law_similarity().multiply_adds());
  const auto active = [&](Law law) { return regularizers != nullptr && regularizers->laws[law] != 0.0F; };
  const auto counts = [&](std::uint32_t node) { return regularizers->weight(plan.occurrences[node]) > 0.0F; };

  // The network itself: F = NOT(T), negations, gates, and the similarity of the roots to T.
  double total = negation;
  total += static_cast<double>(plan.negated) * negation;
  for (const Plan::Level& level : plan.levels) total += (level.end - level.begin) * gate_head(level.gate);
  total += static_cast<double>(plan.roots.size()) * similarity;

  const bool and_laws =
      active(kAndIdentity) || active(kAndAnnihilator) || active(kAndIdempotence) || active(kAndComplement);
  const bool or_laws = active(kOrIdentity) || active(kOrAnnihilator) || active(kOrIdempotence) || active(kOrComplement);
  // Any law about NOT(w) needs NOT(w) itself and its projection for NOT, AND or OR.
  const bool needs_not =
      active(kNegation) || active(kDoubleNegation) || active(kAndComplement) || active(kOrComplement);
  const bool any_law = and_laws || or_laws || needs_not;
  const LawSlots by_law = {{and_laws, active(kAndIdempotence), or_laws, active(kOrIdempotence)},
                           {false, active(kAndComplement), false, active(kOrComplement)},
                           {false, active(kAndIdentity), false, active(kOrAnnihilator)},
                           {false, active(kAndAnnihilator), false, active(kOrIdentity)}};

  // What each w adds besides projections of nodes of the batch: a gate and a comparison per law, and NOT(w) and
  // NOT(NOT(w)) unless NOT(w) is a node of the batch, to which both belong then.
  double own = 0.0;
  for (std::size_t law = 0; law < kLaws; ++law) {
    if (!active(static_cast<Law>(law))) continue;
    own += law_similarity;
    if (law >= kAndIdentity) own += gate_head(law >= kOrIdentity ? Gate::kOr : Gate::kAnd);
  }
  double own_not = needs_not ? negation : 0.0;
  for (std::size_t i = 0; i < kSlots; ++i) own_not += by_law.not_w[i] ? slot(i) : 0.0;
  if (active(kDoubleNegation)) own_not += negation;

  double laws = active(kNegation) ? law_similarity : 0.0;  // NOT(T) differs from T
  bool any_vector = false;
  for (std::uint32_t node = plan.size(); node-- > 0;) {
    const bool constant = node < Plan::kFirstVariable;
    const bool in_laws = any_law && !constant && counts(node);
    const bool is_negation = node >= plan.first_negation() && node < plan.first_gate();
    const bool is_not_w = any_law && is_negation && counts(node - plan.first_negation() + Plan::kFirstVariable);
    any_vector = any_vector || in_laws;
    for (std::size_t i = 0; i < kSlots; ++i) {
      const bool law_uses = (in_laws && by_law.w[i]) || (is_not_w && by_law.not_w[i]) ||
                            (node == Plan::kTrue && any_vector && by_law.t[i]) ||
                            (node == Plan::kFalse && any_vector && by_law.f[i]);
      if (!plan.users_of(node, static_cast<Slot>(i)).empty()) {
        total += slot(i);
      } else if (law_uses) {
        laws += slot(i);
      }
    }
    if (in_laws) laws += own + (node < Plan::kFirstVariable + plan.negated ? 0.0 : own_not);
  }
  const bool sampled = regularizers != nullptr && regularizers->law_share < 1.0F;
  return total + (sampled ? static_cast<double>(regularizers->law_share) : 1.0) * laws;
}

double training_operations(const Plan& plan, const LogicNetwork& network, const RegularizerOptions* regularizers) {
  return 2.0 * 3.0 * multiply_adds(plan, network, regularizers);
}

}  // namespace linn
