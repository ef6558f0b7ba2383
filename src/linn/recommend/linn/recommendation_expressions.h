// A history and a target item t as a logical expression (paper, section 5).
//
//   dnf        (h_1 and t) or ... or (h_k and t)        disliked h are negated
//   order 2    ... or (h_i and h_j and t) or ...        for some pairs, as their number grows quadratically
//   factored   (h_1 or ... or h_k) and t
//
// All have the shape (g_1 and t) or ... or (g_m and t) with arguments g: a literal, a pair of literals or, if factored,
// the single chain of all literals. The expressions of one history with different targets share their arguments.
//
// The vector of a user is one more literal, older than all events: being this user argues for t too. Unknown users, and
// all users of a model without such vectors, lack this literal.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "linn/base/random.h"
#include "linn/plan/expression_batch.h"
#include "linn/recommend/linn/linn_recommender_options.h"
#include "linn/recommend/protocol/histories.h"

namespace linn {

struct ExpressionShape {
  RecommendForm form = RecommendForm::kDnf;
  std::size_t order = 1;  // 2 requires dnf: a chain of pairs combined with t is not a normal form

  // The most pairs in an expression of order 2. In training they are drawn at random; in prediction, as many are spread
  // evenly over all pairs.
  static constexpr std::size_t kMostPairs = 10;
};

// Throws InputError for order 2 in the factored form.
void check(const ExpressionShape& shape);

// Builds expressions into batches; allocates nothing once it has seen the longest history.
class RecommendationExpressions {
 public:
  // Item i is variable i; user u is variable items + u.
  RecommendationExpressions(const ExpressionShape& shape, std::size_t items) : shape_(shape), items_(items) {}

  // Adds one expression per target, all with the same arguments, drawing pairs with `random` if given. Returns false,
  // and adds nothing, if there are no arguments.
  bool add(std::span<const Event> window, std::optional<UserId> user, std::span<const ItemId> targets, Random* random,
           ExpressionBatch& batch);

  // Adds the arguments themselves, one expression each, as add() uses them without `random`. Returns their number.
  std::size_t add_arguments(std::span<const Event> window, std::optional<UserId> user, ExpressionBatch& batch);

 private:
  struct Pair {
    std::size_t first, second;
  };

  void find_literals(std::span<const Event> window, std::optional<UserId> user);
  void choose_pairs(std::size_t events, Random* random);

  ExpressionShape shape_;
  std::size_t items_;
  std::vector<Literal> literals_;  // of the current history, the user first
  std::vector<Pair> pairs_;        // indices into literals_
};

}  // namespace linn
