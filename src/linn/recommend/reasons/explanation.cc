#include "linn/recommend/reasons/explanation.h"

#include <algorithm>
#include <cmath>

namespace linn {
namespace {

constexpr float kTrue = 0.5F;  // the truth from which a clause counts as true

// The query with each event of its history left out in turn, then the whole query.
struct LeaveOneOut {
  explicit LeaveOneOut(const Query& query) {
    const std::size_t size = query.history.size();
    events.reserve(size * size);
    for (std::size_t left_out = 0; left_out < size; ++left_out) {
      for (std::size_t i = 0; i < size; ++i) {
        if (i != left_out) events.push_back(query.history[i]);
      }
    }
    for (std::size_t i = 0; i < size; ++i) {
      queries.push_back({query.user, std::span<const Event>(events).subspan(i * (size - 1), size - 1)});
    }
    queries.push_back(query);
  }

  std::vector<Event> events;
  std::vector<Query> queries;
};

// A sample of items that represents the average item: at most a hundred, spread evenly over the catalogue.
std::vector<ItemId> average_items(std::size_t items) {
  constexpr std::size_t kMost = 100;
  const std::size_t count = std::min(kMost, items);
  std::vector<ItemId> chosen;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(static_cast<ItemId>(i * items / count));
  return chosen;
}

float mean(std::span<const float> values) {
  double sum = 0.0;
  for (const float value : values) sum += static_cast<double>(value);
  return static_cast<float>(sum / static_cast<double>(std::max<std::size_t>(values.size(), 1)));
}

}  // namespace

std::vector<Explanation> explain(const RankingModel& model, const Query& query, std::span<const ItemId> items,
                                 ThreadPool& threads) {
  const Reasoning* reasoning = model.reasoning();
  std::vector<Event> history(query.history.begin(), query.history.end());
  if (reasoning != nullptr) {
    history.clear();
    reasoning->window().cut(query.history, history);
  }
  const std::size_t events = history.size();
  const LeaveOneOut without({query.user, history});
  const std::vector<ItemId> average = average_items(model.items());
  const std::size_t each = items.size() + average.size();
  std::vector<ItemId> targets;
  targets.reserve(without.queries.size() * each);
  for (std::size_t i = 0; i < without.queries.size(); ++i) {
    targets.insert(targets.end(), items.begin(), items.end());
    targets.insert(targets.end(), average.begin(), average.end());
  }
  std::vector<float> scores(targets.size());
  model.score(without.queries, targets, each, scores, threads);
  // For an empty history LINN falls back on counts, which are not the truth of an expression. Before its first event a
  // model that reads event by event has a score of its own; a score of zero means neither true nor false.
  if (reasoning != nullptr && events == 1 && !reasoning->has_vector(query.user)) {
    const auto before = reasoning->score_shares({query.user, history}, std::span(targets).first(each), threads);
    if (before) {
      std::ranges::copy(before->bases, scores.begin());
    } else {
      std::fill_n(scores.begin(), each, 0.0F);
    }
  }
  std::vector<float> means;
  for (std::size_t i = 0; i < without.queries.size(); ++i) {
    means.push_back(mean(std::span(scores).subspan(i * each + items.size(), average.size())));
  }
  const std::vector<float> weights =
      reasoning != nullptr ? reasoning->clause_truths(history, items, threads) : std::vector<float>();

  const std::optional<ScoreShares> shares =
      reasoning != nullptr ? reasoning->score_shares({query.user, history}, items, threads) : std::nullopt;

  std::vector<Explanation> explanations(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    Explanation& explanation = explanations[i];
    explanation.item = items[i];
    explanation.score = scores[events * each + i];
    if (shares) explanation.base = shares->bases[i];
    explanation.reasons.reserve(events);
    for (std::size_t e = 0; e < events; ++e) {
      Reason reason;
      reason.event = history[e];
      if (reasoning != nullptr) reason.weight = weights[e * items.size() + i];
      if (shares) reason.share = shares->shares[e * items.size() + i];
      reason.drop = explanation.score - scores[e * each + i];
      reason.effect = reason.drop - (means[events] - means[e]);
      explanation.reasons.push_back(reason);
    }
    std::ranges::stable_sort(explanation.reasons, std::greater<>(), &Reason::effect);
  }
  return explanations;
}

float Explanation::scale() const {
  if (!base) return std::abs(score);
  float sum = 0.0F;
  for (const Reason& reason : reasons) sum += std::abs(reason.share.value_or(0.0F));
  return sum;
}

Argues argues(const Reason& reason, float scale) {
  const float negligible = 0.02F * scale;
  if (reason.effect > negligible) return Argues::kFor;
  const bool is_true = !reason.share && reason.weight >= kTrue;
  return reason.effect < -negligible && !is_true ? Argues::kAgainst : Argues::kNeither;
}

std::vector<Reason> best_arguments(const Explanation& explanation, std::size_t most) {
  std::vector<Reason> best;
  for (const Reason& reason : explanation.reasons) {
    if (argues(reason, explanation.scale()) == Argues::kFor && best.size() < most) best.push_back(reason);
  }
  if (!best.empty() || most == 0 || explanation.base) return best;
  const Reason* truest = nullptr;
  for (const Reason& reason : explanation.reasons) {
    if (reason.weight >= kTrue && (truest == nullptr || *reason.weight > *truest->weight)) truest = &reason;
  }
  if (truest != nullptr) best.push_back(*truest);
  return best;
}

}  // namespace linn
