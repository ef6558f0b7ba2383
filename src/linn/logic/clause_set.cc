#include "linn/logic/clause_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "linn/base/error.h"

namespace linn {
namespace {

// The hash of a clause is the sum of its literals' hashes, so that subsets can be enumerated one literal at a time.
std::uint64_t hash_literal(std::uint32_t code) {
  std::uint64_t z = (code + 1) * 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  return z ^ (z >> 27U);
}

std::uint64_t hash_clause(std::span<const std::uint32_t> clause) {
  std::uint64_t sum = 0;
  for (const std::uint32_t code : clause) sum += hash_literal(code);
  return sum;
}

// Unit clauses x and !x reduce the whole set to the empty clause. The set must be sorted, which makes the two adjacent.
bool has_opposite_units(const ClauseSet& set) {
  for (std::size_t i = 1; i < set.size() && set.clause(i).size() == 1; ++i) {
    if (set.clause(i - 1).size() == 1 && (set.clause(i - 1)[0] ^ 1U) == set.clause(i)[0]) return true;
  }
  return false;
}

bool shorter_or_before(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  if (a.size() != b.size()) return a.size() < b.size();
  return std::ranges::lexicographical_compare(a, b);
}

}  // namespace

// Offsets are 32-bit, and a set may reach twice the limit before it is simplified.
Budget::Budget(const NormalFormLimits& limits) : max_literals_(std::min(limits.max_literals, std::size_t{1} << 30U)) {}

void Budget::check_held(std::size_t literals) const {
  if (allows(literals)) return;
  throw InputError(
      fmt::format("the normal form grew to {} literals, over the limit of {}; raise max_literals, or try the other "
                  "form, which may be smaller",
                  literals, max_literals_));
}

void Budget::spend(std::size_t literals) {
  // Sets can stay small and still be rebuilt too often to finish in reasonable time.
  constexpr std::size_t kRebuilds = 400;
  spent_ += literals;
  if (spent_ / kRebuilds <= max_literals_) return;
  throw InputError(
      fmt::format("normalisation exceeded {} steps, {} for each of the {} literals allowed; raise max_literals", spent_,
                  kRebuilds, max_literals_));
}

bool tidy_clause(std::vector<std::uint32_t>& clause) {
  std::ranges::sort(clause);
  clause.erase(std::unique(clause.begin(), clause.end()), clause.end());
  // A literal and its negation differ only in the last bit, so they are adjacent.
  return std::adjacent_find(clause.begin(), clause.end(), [](auto a, auto b) { return (a ^ 1U) == b; }) == clause.end();
}

void ClauseSetSimplifier::simplify(ClauseSet& set) {
  budget_->spend(set.literals.size());
  if (set.size() < 2) return;
  sort_and_merge(set);
  if (has_opposite_units(set)) {
    set.clear();
    set.add({});
    return;
  }
  absorb(set);
}

void ClauseSetSimplifier::sort_and_merge(ClauseSet& set) {
  order_.resize(set.size());
  std::iota(order_.begin(), order_.end(), 0U);
  const auto before = [&](std::uint32_t a, std::uint32_t b) { return shorter_or_before(set.clause(a), set.clause(b)); };
  const auto equal = [&](std::uint32_t a, std::uint32_t b) { return std::ranges::equal(set.clause(a), set.clause(b)); };
  if (!std::ranges::is_sorted(order_, before)) std::ranges::sort(order_, before);
  order_.erase(std::unique(order_.begin(), order_.end(), equal), order_.end());

  sorted_.clear();
  for (const std::uint32_t i : order_) sorted_.add(set.clause(i));
  std::swap(set, sorted_);
}

void ClauseSetSimplifier::absorb(ClauseSet& set) {
  const std::size_t shortest = set.clause(0).size();
  const std::size_t longest = set.clause(set.size() - 1).size();
  if (shortest == longest) return;  // only a shorter clause can absorb
  if (shortest == 0) {              // the empty clause is a subset of every clause
    set.clear();
    set.add({});
    return;
  }

  const std::size_t codes = std::size_t{*std::ranges::max_element(set.literals)} + 1;
  if (literal_states_.size() < codes) literal_states_.resize(codes);
  for (const std::uint32_t code : set.literals) ++literal_states_[code].occurrences;
  next_watcher_.assign(set.size(), kNone);
  kept_by_hash_.assign(std::bit_ceil(set.size() * 2), kNone);

  sorted_.clear();
  std::size_t watched = 0;  // number of clauses in sorted_ that are candidates: those shorter than the current clause
  for (std::uint32_t i = 0; i < set.size(); ++i) {
    const auto clause = set.clause(i);
    // Clauses are sorted by length, and only shorter ones can absorb the current one.
    while (watched < sorted_.size() && sorted_.clause(watched).size() < clause.size()) {
      keep(sorted_, static_cast<std::uint32_t>(watched++));
    }
    for (const std::uint32_t code : clause) literal_states_[code].mark = i;
    if (!has_kept_subset(sorted_, clause)) sorted_.add(clause);
  }
  // Clear only the entries used: a small set must not cost the size of a large expression.
  for (const std::uint32_t code : set.literals) literal_states_[code] = {};
  std::swap(set, sorted_);
}

void ClauseSetSimplifier::keep(const ClauseSet& set, std::uint32_t index) {
  const auto clause = set.clause(index);
  const std::uint32_t rarest =
      *std::ranges::min_element(clause, {}, [&](std::uint32_t code) { return literal_states_[code].occurrences; });
  next_watcher_[index] = literal_states_[rarest].first_watcher;
  literal_states_[rarest].first_watcher = index;
  ++literal_states_[rarest].watchers;

  const std::size_t mask = kept_by_hash_.size() - 1;
  std::size_t slot = hash_clause(clause) & mask;
  while (kept_by_hash_[slot] != kNone) slot = (slot + 1) & mask;
  kept_by_hash_[slot] = index;
}

// The literals of the clause must be marked. Takes the cheaper of two strategies: scan the kept clauses watched by any
// of the literals, or look up every subset of the clause.
bool ClauseSetSimplifier::has_kept_subset(const ClauseSet& set, std::span<const std::uint32_t> clause) {
  const std::uint32_t mark = literal_states_[clause[0]].mark;
  const auto is_subset = [&](std::uint32_t kept) {
    return std::ranges::all_of(set.clause(kept),
                               [&](std::uint32_t code) { return literal_states_[code].mark == mark; });
  };

  std::size_t candidates = 0;
  for (const std::uint32_t code : clause) candidates += literal_states_[code].watchers;
  constexpr std::size_t kMaxEnumerated = 16;
  if (clause.size() > kMaxEnumerated || candidates <= (std::size_t{1} << clause.size())) {
    budget_->spend(candidates);
    for (const std::uint32_t code : clause) {
      for (std::uint32_t kept = literal_states_[code].first_watcher; kept != kNone; kept = next_watcher_[kept]) {
        if (is_subset(kept)) return true;
      }
    }
    return false;
  }

  // Enumerate subsets in Gray code order: consecutive subsets differ in one literal.
  const std::size_t subsets = std::size_t{1} << clause.size();
  budget_->spend(subsets);
  const std::size_t mask = kept_by_hash_.size() - 1;
  std::uint64_t sum = 0;
  for (std::size_t i = 1; i < subsets; ++i) {
    const auto changed = static_cast<std::size_t>(std::countr_zero(i));
    const bool added = (((i ^ (i >> 1U)) >> changed) & 1U) != 0;
    sum += added ? hash_literal(clause[changed]) : 0 - hash_literal(clause[changed]);
    for (std::size_t slot = sum & mask; kept_by_hash_[slot] != kNone; slot = (slot + 1) & mask) {
      if (is_subset(kept_by_hash_[slot])) return true;
    }
  }
  return false;
}

ClauseSet ClauseSetSimplifier::product(const ClauseSet& a, const ClauseSet& b) {
  ClauseSet result;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto left = a.clause(i);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const auto right = b.clause(j);
      joined_.clear();
      std::ranges::set_union(left, right, std::back_inserter(joined_));
      budget_->spend(joined_.size());
      const auto opposite = [](std::uint32_t x, std::uint32_t y) { return (x ^ 1U) == y; };
      if (std::adjacent_find(joined_.begin(), joined_.end(), opposite) != joined_.end()) continue;
      result.add(joined_);
      if (budget_->allows(result.literals.size() / 2)) continue;
      // Much of it may be absorbed; it is too large only if it stays so. Simplifying at twice the limit spaces the
      // simplifications out in proportion to their cost.
      simplify(result);
      budget_->check_held(result.literals.size());
    }
  }
  simplify(result);
  return result;
}

}  // namespace linn
