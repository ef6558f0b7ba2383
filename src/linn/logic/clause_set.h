// Sets of clauses while a normal form is built.
//
// A clause is a sorted list of distinct literals, none of which contradicts another. Whether a set is a disjunction of
// conjunctions or the dual is up to the caller: the rules are the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linn/logic/normal_form.h"

namespace linn {

struct ClauseSet {
  std::vector<std::uint32_t> literals;  // encoded as in Literal
  std::vector<std::uint32_t> starts = {0};

  std::size_t size() const { return starts.size() - 1; }
  std::span<const std::uint32_t> clause(std::size_t i) const {
    return std::span(literals).subspan(starts[i], starts[i + 1] - starts[i]);
  }
  void add(std::span<const std::uint32_t> clause) {
    literals.insert(literals.end(), clause.begin(), clause.end());
    starts.push_back(static_cast<std::uint32_t>(literals.size()));
  }
  void clear() {
    literals.clear();
    starts.assign(1, 0);
  }
};

// Limits the memory and the work of a normalisation.
class Budget {
 public:
  explicit Budget(const NormalFormLimits& limits);
  void restart() { spent_ = 0; }
  bool allows(std::size_t literals) const { return literals <= max_literals_; }
  // Throw InputError if a set has grown too large, or too much work has been done.
  void check_held(std::size_t literals) const;
  void spend(std::size_t literals);

 private:
  std::size_t max_literals_;
  std::size_t spent_ = 0;
};

// Sorts a clause and removes repeated literals. Returns false if two literals contradict each other: such a clause is
// false in a DNF and true in a CNF, and can be dropped in either.
bool tidy_clause(std::vector<std::uint32_t>& clause);

class ClauseSetSimplifier {
 public:
  explicit ClauseSetSimplifier(Budget& budget) : budget_(&budget) {}

  // Sorts the clauses (by length, then by literals), merges equal ones and removes clauses that contain another.
  void simplify(ClauseSet& set);

  // Joins every clause of one set with every clause of the other and simplifies the result.
  ClauseSet product(const ClauseSet& a, const ClauseSet& b);

 private:
  void sort_and_merge(ClauseSet& set);
  void absorb(ClauseSet& set);
  bool has_kept_subset(const ClauseSet& set, std::span<const std::uint32_t> clause);
  void keep(const ClauseSet& set, std::uint32_t index);

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  Budget* budget_;
  // Scratch memory, kept between calls.
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> joined_;
  ClauseSet sorted_;
  // State of absorb(): per literal, the linked lists of watchers, and the kept clauses by hash.
  struct LiteralState {
    std::uint32_t occurrences = 0;
    std::uint32_t mark = kNone;           // the last clause that contains it
    std::uint32_t first_watcher = kNone;  // the first kept clause of which it is the rarest literal
    std::uint32_t watchers = 0;           // how many such clauses there are
  };
  std::vector<LiteralState> literal_states_;
  std::vector<std::uint32_t> next_watcher_;
  std::vector<std::uint32_t> kept_by_hash_;
};

}  // namespace linn
