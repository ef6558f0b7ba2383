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
  // A negated variable counts as an occurrence of the negation alone (the authors' program), not of the variable too
  // (the paper).
  bool negation_hides_variable = false;
};

// Builds plans one after the other and keeps its working memory, so that it allocates nothing once it has seen the
// largest batch.
class PlanBuilder {
 public:
  explicit PlanBuilder(PlanOptions options = {}) : options_(options) {}

  // With a random generator, chains are associated at random and take their operands in random order; clauses with the
  // same literals share one such draw. Without, chains fold from the left in the given order.
  void build(const ExpressionBatch& batch, Random* random, Plan& plan);

 private:
  void find_variables(const ExpressionBatch& batch, Plan& plan);
  std::uint32_t node_of(Literal literal, const Plan& plan) const;
  std::uint32_t clause_node(std::span<const Literal> clause, Gate gate, Random* random, const Plan& plan);
  std::uint32_t chain(Gate gate, Random* random);
  std::uint32_t gate_node(Gate gate, std::uint32_t left, std::uint32_t right);
  void make_chains(const ExpressionBatch& batch, Plan& plan);
  void order_gates(Plan& plan);
  void count_occurrences(Plan& plan) const;
  void find_uses(Plan& plan) const;

  // A gate during construction. Its number is its place here plus the number of nodes that are not gates.
  struct Made {
    std::uint32_t left, right;
    std::uint32_t level;
    Gate gate;
  };

  // The uses of a variable in the current batch; an entry of an earlier batch has another stamp.
  struct Seen {
    std::uint32_t stamp = 0;
    std::uint32_t uses = 0;   // 1: plain, 2: negated, 3: both
    std::uint32_t place = 0;  // in Plan::variables
  };

  PlanOptions options_;
  std::vector<Seen> seen_;  // by variable
  std::uint32_t stamp_ = 0;
  std::uint32_t first_gate_ = 0;
  std::uint32_t first_chained_negation_ = 0;  // places in Plan::variables where the literals of chains begin
  std::uint32_t first_chained_ = 0;
  std::vector<Made> made_;
  std::vector<std::uint32_t> operands_;  // of the current chain
  std::vector<std::uint32_t> clauses_;   // nodes of the clauses of the current expression

  // Gates by operands and clauses by literals, in open addressing; an entry with another stamp is free.
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
