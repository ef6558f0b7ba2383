#include "linn/recommend/linn/recommendation_expressions.h"

#include <algorithm>
#include <array>

#include "linn/base/error.h"

namespace linn {

void check(const ExpressionShape& shape) {
  if (shape.order == 2 && shape.form == RecommendForm::kFactored) {
    throw InputError("clauses of order 2 need the form dnf: in the factored form, pairs of items would add nothing");
  }
}

bool RecommendationExpressions::add(std::span<const Event> window, std::optional<UserId> user,
                                    std::span<const ItemId> targets, Random* random, ExpressionBatch& batch) {
  find_literals(window, user);
  if (literals_.empty()) return false;
  choose_pairs(window.size(), random);
  for (const ItemId target : targets) {
    const Literal t = Literal::of(target, false);
    if (shape_.form == RecommendForm::kFactored) {
      batch.add_clause(literals_);
      batch.add_clause({&t, 1});
      batch.end_expression(Form::kCnf);
      continue;
    }
    for (const Literal h : literals_) batch.add_clause(std::array{h, t});
    for (const Pair& pair : pairs_) batch.add_clause(std::array{literals_[pair.first], literals_[pair.second], t});
    batch.end_expression(Form::kDnf);
  }
  return true;
}

std::size_t RecommendationExpressions::add_arguments(std::span<const Event> window, std::optional<UserId> user,
                                                     ExpressionBatch& batch) {
  find_literals(window, user);
  if (literals_.empty()) return 0;
  if (shape_.form == RecommendForm::kFactored) {
    batch.add_clause(literals_);
    batch.end_expression(Form::kCnf);
    return 1;
  }
  choose_pairs(window.size(), nullptr);
  for (const Literal h : literals_) {
    batch.add_clause({&h, 1});
    batch.end_expression(Form::kDnf);
  }
  for (const Pair& pair : pairs_) {
    batch.add_clause(std::array{literals_[pair.first], literals_[pair.second]});
    batch.end_expression(Form::kDnf);
  }
  return literals_.size() + pairs_.size();
}

void RecommendationExpressions::find_literals(std::span<const Event> window, std::optional<UserId> user) {
  literals_.clear();
  if (user) literals_.push_back(Literal::of(static_cast<VariableId>(items_ + *user), false));
  for (const Event& event : window) literals_.push_back(Literal::of(event.item, !event.liked));
}

// Numbers the pairs of events as (0,1), (0,2), (1,2), (0,3), ...: pair n has as its second event the largest b with
// b(b-1)/2 <= n. In literals_, the user, if any, precedes the events.
void RecommendationExpressions::choose_pairs(std::size_t events, Random* random) {
  pairs_.clear();
  if (shape_.order < 2 || events < 2) return;
  const std::size_t all = events * (events - 1) / 2;
  const std::size_t count = std::min(all, ExpressionShape::kMostPairs);
  const std::size_t first_event = literals_.size() - events;
  std::size_t second = 1;
  std::size_t chosen = 0;
  // Selection sampling in one pass: the next pair is taken with probability (still to take) / (still to come).
  for (std::size_t n = 0; n < all; ++n) {
    if (n == second * (second + 1) / 2) ++second;
    const bool take =
        random != nullptr ? random->below(all - n) < count - chosen : (n + 1) * count / all > n * count / all;
    if (!take) continue;
    ++chosen;
    pairs_.push_back({first_event + n - second * (second - 1) / 2, first_event + second});
  }
}

}  // namespace linn
