// What a batch computes, as pure data: one graph of distinct nodes, ordered so that a matrix product can take many of
// them at once. A plan is independent of vectors, widths and devices; it can be printed, compared and copied.
//
// Nodes are numbered in the order in which they can be computed:
//
//   0            T
//   1            F = NOT(T)
//   2 ...        variables: first those that occur only negated, then those that occur both ways, then the rest;
//                every literal of a chain is one more
//   ...          negations of the first variables, in the same order
//   ...          levels: all AND, or all OR, whose operands come before them
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "linn/logic/vocabulary.h"

namespace linn {

enum class Gate : std::uint8_t { kAnd, kOr };

// How a gate uses a node: as the left or the right operand of AND or OR. Each has its own projection.
enum class Slot : std::uint8_t { kAndLeft, kAndRight, kOrLeft, kOrRight };
inline constexpr std::size_t kSlots = 4;
constexpr Slot slot_of(Gate gate, bool right) {
  return static_cast<Slot>((gate == Gate::kOr ? 2 : 0) + (right ? 1 : 0));
}
constexpr Gate gate_of(Slot slot) { return slot >= Slot::kOrLeft ? Gate::kOr : Gate::kAnd; }

struct Plan {
  static constexpr std::uint32_t kTrue = 0;
  static constexpr std::uint32_t kFalse = 1;
  static constexpr std::uint32_t kFirstVariable = 2;

  struct Level {
    Gate gate = Gate::kAnd;
    std::uint32_t begin = 0;  // nodes [begin, end)
    std::uint32_t end = 0;
    friend bool operator==(const Level&, const Level&) = default;
  };

  // The variable of node kFirstVariable + i is variables[i]; it occurs only negated if i < negated_only, and node
  // first_negation() + i is its negation if i < negated.
  std::vector<VariableId> variables;
  std::uint32_t negated_only = 0;
  std::uint32_t negated = 0;

  std::vector<Level> levels;
  // Operands of gates, by node - first_gate().
  std::vector<std::uint32_t> left;
  std::vector<std::uint32_t> right;

  // The node of each expression of the batch.
  std::vector<std::uint32_t> roots;

  // How often a node would occur in the expressions of the batch if nothing were shared.
  std::vector<std::uint32_t> occurrences;

  // Where this is one of several plans of a batch: the number of all, and by node how many of them have it. A vector
  // that several plans have counts in each of them for its share.
  std::uint32_t parts = 1;
  std::vector<std::uint32_t> holders;  // empty: no other plan has a node of this one

  // The gates that use a node, by slot: users[use_starts[4 * node + slot]] up to use_starts[4 * node + slot + 1].
  std::vector<std::uint32_t> use_starts;
  std::vector<std::uint32_t> users;

  std::uint32_t first_negation() const { return kFirstVariable + static_cast<std::uint32_t>(variables.size()); }
  std::uint32_t first_gate() const { return first_negation() + negated; }
  std::uint32_t size() const { return first_gate() + static_cast<std::uint32_t>(left.size()); }

  float share(std::uint32_t node) const { return holders.empty() ? 1.0F : 1.0F / static_cast<float>(holders[node]); }
  float share_of_constants() const { return 1.0F / static_cast<float>(parts); }

  std::span<const std::uint32_t> users_of(std::uint32_t node, Slot slot) const {
    const std::size_t at = kSlots * node + static_cast<std::size_t>(slot);
    return std::span(users).subspan(use_starts[at], use_starts[at + 1] - use_starts[at]);
  }

  friend bool operator==(const Plan&, const Plan&) = default;
};

// One line per node, for debugging.
std::string to_string(const Plan& plan);

}  // namespace linn
