#include <algorithm>
#include <cassert>
#include <memory>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "linn/logic/clause_set.h"
#include "linn/logic/normal_form.h"

namespace linn {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Runs of digits compare by value, so that v2 comes before v10. Names that differ only in leading zeros are ordered by
// their bytes.
bool natural_less(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!is_digit(a[i]) || !is_digit(b[j])) {
      if (a[i] != b[j]) return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]);
      ++i;
      ++j;
      continue;
    }
    while (i < a.size() && a[i] == '0') ++i;
    while (j < b.size() && b[j] == '0') ++j;
    std::size_t end_a = i, end_b = j;
    while (end_a < a.size() && is_digit(a[end_a])) ++end_a;
    while (end_b < b.size() && is_digit(b[end_b])) ++end_b;
    if (end_a - i != end_b - j) return end_a - i < end_b - j;
    const int order = a.substr(i, end_a - i).compare(b.substr(j, end_b - j));
    if (order != 0) return order < 0;
    i = end_a;
    j = end_b;
  }
  if (i < a.size() || j < b.size()) return i == a.size();
  return a < b;
}

// A prefix of the name encoded so that its bytes compare as natural_less does: a run of digits becomes '0', its length
// without leading zeros, and its digits. Names with equal keys need the full comparison.
std::uint64_t sort_key(std::string_view name) {
  constexpr std::size_t kBytes = sizeof(std::uint64_t);
  std::uint64_t key = 0;
  std::size_t used = 0;
  const auto put = [&](std::size_t byte) {
    if (used++ < kBytes) key = (key << 8U) | byte;
  };
  for (std::size_t i = 0; i < name.size() && used < kBytes;) {
    if (!is_digit(name[i])) {
      put(static_cast<unsigned char>(name[i++]));
      continue;
    }
    while (i < name.size() && name[i] == '0') ++i;
    std::size_t end = i;
    while (end < name.size() && is_digit(name[end])) ++end;
    constexpr std::size_t kMaxRun = 255;
    put('0');
    put(std::min(end - i, kMaxRun));
    if (end - i >= kMaxRun) break;
    while (i < end && used < kBytes) put(static_cast<unsigned char>(name[i++]));
  }
  for (; used < kBytes; ++used) key <<= 8U;
  return key;
}

// Ranks variables by name. While clauses are built, literals are encoded by the rank of their variable, so that sorting
// numbers sorts names.
class Ranking {
 public:
  // Ranks these variables, which may contain duplicates.
  void assign(const Vocabulary& names, const std::vector<VariableId>& variables) {
    by_rank_.clear();
    for (const VariableId v : variables) by_rank_.push_back({sort_key(names.name(v)), v});
    std::ranges::sort(by_rank_, [&](const Entry& a, const Entry& b) {
      if (a.key != b.key) return a.key < b.key;
      return a.variable != b.variable && natural_less(names.name(a.variable), names.name(b.variable));
    });
    const auto same = [](const Entry& a, const Entry& b) { return a.variable == b.variable; };
    by_rank_.erase(std::unique(by_rank_.begin(), by_rank_.end(), same), by_rank_.end());
    if (rank_of_.size() < names.size()) rank_of_.resize(names.size());
    for (std::uint32_t rank = 0; rank < by_rank_.size(); ++rank) rank_of_[by_rank_[rank].variable] = rank;
  }

  std::uint32_t code(Literal l) const { return rank_of_[l.variable()] * 2 + (l.negated() ? 1U : 0U); }
  Literal literal(std::uint32_t code) const { return Literal::of(by_rank_[code / 2].variable, (code & 1U) != 0); }

 private:
  struct Entry {
    std::uint64_t key;
    VariableId variable;
  };
  std::vector<Entry> by_rank_;
  std::vector<std::uint32_t> rank_of_;  // by variable; stale for variables that are not ranked now
};

NormalForm to_normal_form(const ClauseSet& set, Form form, const Ranking& ranking) {
  NormalForm result{form, {}, set.starts};
  result.literals.reserve(set.literals.size());
  for (const std::uint32_t code : set.literals) result.literals.push_back(ranking.literal(code));
  return result;
}

// Distributes a negation normal form into the clauses of a DNF: Or makes unions, And makes products. Nested chains of
// the same connective are flattened first, so a hundred thousand nested conjunctions are one product of literals and
// not a hundred thousand growing ones.
class Distributor {
 public:
  // If `dual`, the literals of the clauses are the negations of those in the expression.
  Distributor(const ExpressionPool& pool, bool dual, const Ranking& ranking, Budget& budget,
              ClauseSetSimplifier& simplifier)
      : pool_(pool), dual_(dual), ranking_(ranking), budget_(budget), simplifier_(simplifier) {}

  ClauseSet run(Expr root) {
    if (pool_.op(root) < Op::kVariable) return constant(pool_.op(root) == Op::kTrue);
    if (is_literal(root)) return unit(root);

    plan_regions(root);
    // Children follow their parents, so the last region has no regions below it.
    for (std::size_t i = regions_.size(); i-- > 0;) {
      Region& region = regions_[i];
      region.clauses = pool_.op(region.top) == Op::kAnd ? multiply(region) : unite(region);
      held_ += region.clauses.literals.size();
      budget_.check_held(held_);
    }
    return std::move(regions_[0].clauses);
  }

 private:
  // A maximal tree of one connective: its literals, and the regions of the other connective below it.
  struct Region {
    Expr top;
    std::vector<std::uint32_t> literals;
    std::vector<std::uint32_t> regions;
    std::uint32_t uses = 0;
    ClauseSet clauses;
  };

  bool is_literal(Expr e) const { return pool_.op(e) == Op::kVariable || pool_.op(e) == Op::kNot; }

  std::uint32_t code(Expr e) const {
    const bool negated = pool_.op(e) == Op::kNot;
    return ranking_.code(Literal::of(pool_.variable_of(negated ? pool_.operands(e)[0] : e), negated != dual_));
  }

  static ClauseSet constant(bool value) {
    ClauseSet set;
    if (value) set.add({});
    return set;
  }

  ClauseSet unit(Expr e) const {
    ClauseSet set;
    const std::uint32_t only = code(e);
    set.add({&only, 1});
    return set;
  }

  // Finds the regions and orders them so that each precedes all regions below it.
  void plan_regions(Expr root) {
    std::unordered_map<std::uint32_t, std::uint32_t> found;  // top node -> region, in order of discovery
    std::vector<Region> discovered;
    const auto discover = [&](Expr top) {
      const auto [entry, is_new] = found.try_emplace(top.index, static_cast<std::uint32_t>(discovered.size()));
      if (is_new) discovered.push_back({top, {}, {}, 0, {}});
      return entry->second;
    };
    discover(root);
    std::vector<Expr> stack;
    std::unordered_map<std::uint32_t, std::uint32_t> gathered_by;  // inner node -> the last region that contains it
    for (std::uint32_t i = 0; i < discovered.size(); ++i) {
      const Op op = pool_.op(discovered[i].top);
      stack.assign(1, discovered[i].top);
      while (!stack.empty()) {
        const Expr e = stack.back();
        stack.pop_back();
        if (is_literal(e)) {
          discovered[i].literals.push_back(code(e));
        } else if (pool_.op(e) != op) {
          const std::uint32_t child = discover(e);
          discovered[i].regions.push_back(child);
          ++discovered[child].uses;
        } else {
          for (const Expr operand : pool_.operands(e)) {
            // Literals may repeat, since they are merged later; anything else is gathered once.
            if (!is_literal(operand)) {
              const auto [entry, is_new] = gathered_by.try_emplace(operand.index, i);
              if (!is_new && entry->second == i) continue;
              entry->second = i;
            }
            stack.push_back(operand);
          }
        }
      }
    }

    // The top node of a region has a larger index than those below it, so the indices give the order.
    std::vector<std::uint32_t> order(discovered.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) { return discovered[b].top < discovered[a].top; });
    std::vector<std::uint32_t> place(discovered.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    regions_.reserve(discovered.size());
    for (const std::uint32_t i : order) {
      for (std::uint32_t& child : discovered[i].regions) child = place[child];
      regions_.push_back(std::move(discovered[i]));
    }
    assert(regions_[0].top == root);
  }

  ClauseSet unite(const Region& region) {
    ClauseSet set;
    for (const std::uint32_t code : region.literals) set.add({&code, 1});
    for (const std::uint32_t child : region.regions) {
      const ClauseSet& clauses = regions_[child].clauses;
      for (std::size_t i = 0; i < clauses.size(); ++i) set.add(clauses.clause(i));
      release(child);
      budget_.check_held(held_ + set.literals.size());
    }
    simplifier_.simplify(set);
    return set;
  }

  ClauseSet multiply(Region& region) {
    ClauseSet result;
    if (!tidy_clause(region.literals)) return result;
    result.add(region.literals);
    // Small factors first: contradictions and absorptions then happen before the large ones are multiplied.
    std::ranges::sort(region.regions, {}, [&](std::uint32_t child) { return regions_[child].clauses.size(); });
    for (const std::uint32_t child : region.regions) {
      result = simplifier_.product(result, regions_[child].clauses);
      release(child);
    }
    return result;
  }

  // Frees the clauses of a region after their last use.
  void release(std::uint32_t child) {
    if (--regions_[child].uses > 0) return;
    held_ -= regions_[child].clauses.literals.size();
    regions_[child].clauses = {};
  }

  const ExpressionPool& pool_;
  bool dual_;
  const Ranking& ranking_;
  Budget& budget_;
  ClauseSetSimplifier& simplifier_;
  std::vector<Region> regions_;
  std::size_t held_ = 0;
};

}  // namespace

struct Normalizer::Memory {
  explicit Memory(const NormalFormLimits& limits) : budget(limits), simplifier(budget) {}

  Budget budget;
  ClauseSetSimplifier simplifier;
  Ranking ranking;
  NormalForm written;
  ClauseSet set;
  std::vector<VariableId> variables;
  std::vector<std::uint32_t> clause;
};

Normalizer::Normalizer(ExpressionPool& pool, const NormalFormLimits& limits) : pool_(pool), limits_(limits) {}
Normalizer::~Normalizer() = default;

NormalForm Normalizer::normalize(Expr root, Form form) {
  // If the limit is exceeded, the memory is left inconsistent and is not put back.
  std::unique_ptr<Memory> memory = memory_ ? std::move(memory_) : std::make_unique<Memory>(limits_);
  memory->budget.restart();
  NormalForm result = is_in_form(pool_, root, form) ? simplify(*memory, root, form) : distribute(*memory, root, form);
  memory_ = std::move(memory);
  return result;
}

// An expression already in the form: nothing to distribute.
NormalForm Normalizer::simplify(Memory& memory, Expr root, Form form) {
  auto& [budget, simplifier, ranking, written, set, variables, clause] = memory;
  written = clauses_as_written(pool_, root, form);
  variables.clear();
  for (const Literal l : written.literals) variables.push_back(l.variable());
  ranking.assign(pool_.variables(), variables);

  set.clear();
  for (std::size_t i = 0; i < written.clauses(); ++i) {
    clause.clear();
    for (const Literal l : written.clause(i)) clause.push_back(ranking.code(l));
    if (tidy_clause(clause)) set.add(clause);
  }
  simplifier.simplify(set);
  return to_normal_form(set, form, ranking);
}

NormalForm Normalizer::distribute(Memory& memory, Expr root, Form form) {
  // The CNF is the DNF of the negation with every literal negated. This way xor is expanded to suit the clauses of
  // either form.
  const bool dual = form == Form::kCnf;
  const Expr top = to_negation_normal_form(pool_, dual ? pool_.negation(root) : root, walk_);
  memory.variables.clear();
  for (const Expr e : walk_.post_order(pool_, top)) {
    if (pool_.op(e) == Op::kVariable) memory.variables.push_back(pool_.variable_of(e));
  }
  memory.ranking.assign(pool_.variables(), memory.variables);
  Distributor distributor(pool_, dual, memory.ranking, memory.budget, memory.simplifier);
  return to_normal_form(distributor.run(top), form, memory.ranking);
}

NormalForm Normalizer::network_form(Expr root, Form form) {
  if (is_in_form(pool_, root, form)) return clauses_as_written(pool_, root, form);
  return normalize(root, form);
}

NormalForm normalize(ExpressionPool& pool, Expr root, Form form, const NormalFormLimits& limits) {
  return Normalizer(pool, limits).normalize(root, form);
}

}  // namespace linn
