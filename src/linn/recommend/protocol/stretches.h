// Training histories cut into stretches, for models that learn from whole histories.
#pragma once

#include <span>
#include <vector>

#include "linn/recommend/protocol/histories.h"
#include "linn/recommend/protocol/ranking_model.h"

namespace linn {

// The training events of every user, likes only if the window has no dislikes, in stretches of window.length events and
// the target that follows them. They are counted from the newest event backwards, so the newest stretch is full, and
// share one event with the next, so every like after a user's first event is a target of exactly one. Stretches without
// a target are left out. Where a training is continued, the earlier events are cut as if they were all, and the
// stretches of later targets reach back into them.
class TrainingStretches {
 public:
  // The histories must outlive the stretches.
  TrainingStretches(const Histories& histories, const HistoryWindow& window);
  TrainingStretches(const TrainingStretches&) = delete;
  TrainingStretches& operator=(const TrainingStretches&) = delete;

  // Those with earlier targets, then those with later ones; each ordered by user, oldest first.
  std::span<const Stretch> list() const { return list_; }
  // The number of those with earlier targets.
  std::size_t earlier() const { return earlier_; }

 private:
  std::vector<Event> likes_;  // of all users, if the window has no dislikes
  std::vector<Stretch> list_;
  std::size_t earlier_ = 0;
};

}  // namespace linn
