#include "linn/recommend/explanation.h"

#include <algorithm>

#include "linn/recommend/linn_recommender.h"

namespace linn {
namespace {

// The history with each of its events left out in turn, and the whole of it at the end.
struct LeaveOneOut {
  explicit LeaveOneOut(const Asker& asker) {
    const std::size_t size = asker.history.size();
    events.reserve(size * size);
    for (std::size_t left_out = 0; left_out < size; ++left_out) {
      for (std::size_t i = 0; i < size; ++i) {
        if (i != left_out) events.push_back(asker.history[i]);
      }
    }
    for (std::size_t i = 0; i < size; ++i) {
      askers.push_back({asker.user, std::span<const Event>(events).subspan(i * (size - 1), size - 1)});
    }
    askers.push_back(asker);
  }

  std::vector<Event> events;
  std::vector<Asker> askers;
};

}  // namespace

std::vector<Explanation> explain(const Recommender& model, const Asker& asker, std::span<const ItemId> items,
                                 ThreadPool& threads) {
  const auto* linn = dynamic_cast<const LinnRecommender*>(&model);
  std::vector<Event> history(asker.history.begin(), asker.history.end());
  if (linn != nullptr) {
    history.clear();
    linn->window().cut(asker.history, history);
  }
  const std::size_t events = history.size();
  const LeaveOneOut without({asker.user, history});
  std::vector<ItemId> targets;
  targets.reserve(without.askers.size() * items.size());
  for (std::size_t i = 0; i < without.askers.size(); ++i) targets.insert(targets.end(), items.begin(), items.end());
  std::vector<float> scores(targets.size());
  model.score(without.askers, targets, items.size(), scores, threads);
  // Without any event LINN falls back on counts, which are no truth of an expression.
  if (linn != nullptr && events == 1 && !linn->knows(asker.user)) {
    std::fill_n(scores.begin(), items.size(), 0.0F);
  }
  const std::vector<float> weights =
      linn != nullptr ? linn->clause_truths(history, items, threads) : std::vector<float>();

  std::vector<Explanation> explanations(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    Explanation& explanation = explanations[i];
    explanation.item = items[i];
    explanation.score = scores[events * items.size() + i];
    for (std::size_t e = 0; e < events; ++e) {
      Reason reason;
      reason.event = history[e];
      if (linn != nullptr) reason.weight = weights[e * items.size() + i];
      reason.effect = explanation.score - scores[e * items.size() + i];
      explanation.reasons.push_back(reason);
    }
    std::ranges::stable_sort(explanation.reasons, std::greater<>(), &Reason::effect);
  }
  return explanations;
}

}  // namespace linn
