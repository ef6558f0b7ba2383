// From the expressions of a batch to its plan.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linn/base/random.h"
#include "linn/plan/expression_batch.h"
#include "linn/plan/plan.h"

namespace linn {

struct PlanOptions {
  // A variable under a negation counts as an occurrence of the negation alone (the authors' program) and not of the
  // variable too (the paper).
  bool negation_hides_variable = false;
};

// Makes plans one after the other and keeps its working memory, so that building allocates nothing once it has seen
// the largest batch.
class PlanBuilder {
 public:
  explicit PlanBuilder(PlanOptions options = {}) : options_(options) {}

  // With a random generator, chains are associated at random and their operands taken in random order; clauses with
  // the same literals share one such choice. Without, chains fold from the left in the order given.
  void build(const ExpressionBatch& batch, Random* random, Plan& plan);

  // A plan of gates over the constants alone, for truth tables: one root each.
  struct ConstantGate {
    Gate gate;
    bool left, right;
  };
  // `loose` variables that no expression uses stand beside them, as nodes of their own.
  void build(std::span<const ConstantGate> gates, std::span<const VariableId> loose, Plan& plan);

 private:
  void start();
  void find_variables(const ExpressionBatch& batch, Plan& plan);
  std::uint32_t node_of(Literal literal, const Plan& plan) const;
  std::uint32_t clause_node(std::span<const Literal> clause, Gate gate, Random* random, const Plan& plan);
  std::uint32_t chain(Gate gate, Random* random);
  std::uint32_t gate_node(Gate gate, std::uint32_t left, std::uint32_t right);
  void order_gates(Plan& plan);
  void count_occurrences(Plan& plan) const;
  void find_uses(Plan& plan) const;

  // A gate while the graph is built. Its number is the number of nodes that are no gates plus its place here.
  struct Made {
    std::uint32_t left, right;
    std::uint32_t level;
    Gate gate;
  };

  // What is known of a variable in the current batch, told from an earlier one by its stamp.
  struct Seen {
    std::uint32_t stamp = 0;
    std::uint32_t uses = 0;   // 1: as it is, 2: negated, 3: both
    std::uint32_t place = 0;  // in Plan::variables
  };

  PlanOptions options_;
  std::vector<Seen> seen_;  // by variable
  std::uint32_t stamp_ = 0;
  std::uint32_t first_gate_ = 0;
  std::vector<Made> made_;
  std::vector<std::uint32_t> operands_;  // of the chain in hand
  std::vector<std::uint32_t> clauses_;   // nodes of the clauses of the expression in hand

  // Gates by their operands and clauses by their literals, in open addressing; an entry of another stamp is free.
  struct GateEntry {
    std::uint32_t stamp = 0;
    std::uint32_t place = 0;
  };
  std::vector<GateEntry> gate_table_;
  struct ClauseEntry {
    std::uint32_t stamp = 0;
    std::uint32_t node = 0;
    Gate gate = Gate::kAnd;
    const Literal* first = nullptr;
    std::size_t size = 0;
  };
  std::vector<ClauseEntry> clause_table_;

  std::vector<std::uint32_t> bucket_starts_;
  std::vector<std::uint32_t> new_number_;
};

}  // namespace linn
