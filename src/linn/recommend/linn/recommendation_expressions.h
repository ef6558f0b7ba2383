// A history and an item as a logical expression (paper, section 5).
//
//   dnf        (h_1 and t) or ... or (h_k and t)        disliked h are negated
//   order 2    ... or (h_i and h_j and t) or ...        for some pairs: their number would grow with the square
//   factored   (h_1 or ... or h_k) and t
//
// All have the same shape: t is joined with arguments g_1 ... g_m, and what comes out is joined by OR. An argument is a
// literal, a pair of literals, or, factored, the single chain of all of them. The expressions of one history with
// different items share their arguments.
//
// A user who has a vector of his own is one more literal, older than all events: being this user argues for t too. So
// an unknown user, or a model without such vectors, simply lacks this literal.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "linn/base/random.h"
#include "linn/plan/expression_batch.h"
#include "linn/recommend/protocol/histories.h"
#include "linn/recommend/linn/linn_recommender_options.h"

namespace linn {

struct ExpressionShape {
  RecommendForm form = RecommendForm::kDnf;
  std::size_t order = 1;  // 2 goes with dnf alone: a chain of pairs joined with t is no normal form

  // Pairs of an expression of order 2, at most. In training they are drawn at random; otherwise they are spread evenly
  // over all pairs in order, so that there are as many as the network was trained on.
  static constexpr std::size_t kMostPairs = 10;
};

// Throws InputError where form and order do not go together.
void check(const ExpressionShape& shape);

// Builds expressions into batches; allocates nothing once it has seen the longest history.
class RecommendationExpressions {
 public:
  // Items are the variables from 0 on; user u is the variable items + u.
  RecommendationExpressions(const ExpressionShape& shape, std::size_t items) : shape_(shape), items_(items) {}

  // An expression for each target, over the same arguments. With nothing to argue there is none: false.
  bool add(std::span<const Event> window, std::optional<UserId> user, std::span<const ItemId> targets, Random* random,
           ExpressionBatch& batch);

  // The arguments themselves, an expression each, as they are without `random`. Returns how many.
  std::size_t add_arguments(std::span<const Event> window, std::optional<UserId> user, ExpressionBatch& batch);

 private:
  struct Pair {
    std::size_t first, second;
  };

  void find_literals(std::span<const Event> window, std::optional<UserId> user);
  void choose_pairs(std::size_t events, Random* random);

  ExpressionShape shape_;
  std::size_t items_;
  std::vector<Literal> literals_;  // of the history in hand, the user first
  std::vector<Pair> pairs_;        // places in literals_
};

}  // namespace linn
