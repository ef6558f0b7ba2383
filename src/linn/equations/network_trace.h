// How true every node of an expression's network is: its variables, their negations, and each gate up to the root.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "linn/base/thread_pool.h"
#include "linn/logic/normal_form.h"
#include "linn/model/logic_model.h"

namespace linn {

enum class TraceKind : std::uint8_t { kTrue, kFalse, kVariable, kNot, kAnd, kOr };

struct TraceNode {
  TraceKind kind = TraceKind::kTrue;
  VariableId variable = 0;            // of kVariable, as the normal form numbers them
  std::vector<std::uint32_t> inputs;  // places of nodes before this one: one of kNot, two of kAnd and kOr
  float truth = 0.0F;                 // Sim(v, T); of an ensemble, the mean
};

struct NetworkTrace {
  std::vector<TraceNode> nodes;  // inputs come before the nodes that use them; each exists once
  std::uint32_t root = 0;
};

// A variable that counts as T or F, whatever its vector says.
struct Assumption {
  VariableId variable = 0;
  bool value = false;
};

// Without assumptions, the truth of the root is what mean_probabilities() gives, to the bit.
NetworkTrace trace_networks(std::span<const LogicModel* const> models, const NormalForm& form,
                            std::span<const Assumption> assumed, ThreadPool& threads);

}  // namespace linn
