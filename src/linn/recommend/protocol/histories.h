// The events of every user in order, and the likes that a recommender learns from or is evaluated on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linn/data/interactions.h"

namespace linn {

struct Event {
  ItemId item = 0;
  bool liked = false;

  friend bool operator==(const Event&, const Event&) = default;
};

enum class Split : std::uint8_t { kTrain, kValidation, kTest };

// A liked item: event number `position` of the user. The events before it are its history.
struct Example {
  UserId user = 0;
  std::uint32_t position = 0;

  friend bool operator==(const Example&, const Example&) = default;
};

// The events of all users in flat arrays: training rows, then validation, then test. Only the first of repeated
// (user, item) pairs is kept.
class Histories {
 public:
  explicit Histories(const InteractionData& data);

  std::size_t users() const { return starts_.size() - 1; }
  std::size_t items() const { return items_; }
  const ItemCategories& categories() const { return categories_; }

  // All events of a user, oldest first.
  std::span<const Event> events(UserId user) const;
  // The events of the training rows only.
  std::span<const Event> training_events(UserId user) const;
  // Those of them that were there before a training that is continued.
  std::span<const Event> earlier_events(UserId user) const;
  std::span<const Event> before(const Example& example) const { return events(example.user).first(example.position); }
  ItemId item(const Example& example) const { return events(example.user)[example.position].item; }

  // Every like of the split that has a history, ordered by user and position.
  std::vector<Example> examples(Split split) const;

 private:
  std::size_t items_ = 0;
  ItemCategories categories_;
  std::vector<Event> events_;
  std::vector<std::size_t> starts_;         // of each user, and the end
  std::vector<std::size_t> later_at_;       // where the rows of each user that are no earlier ones begin
  std::vector<std::size_t> validation_at_;  // where the validation rows of each user begin
  std::vector<std::size_t> test_at_;        // where the test rows of each user begin
};

// The part of a history that a model reads: the last `length` events or, without dislikes, the last `length` likes.
struct HistoryWindow {
  std::size_t length = 10;  // 0: all
  bool dislikes = true;

  // Appends to `out`, oldest first.
  void cut(std::span<const Event> history, std::vector<Event>& out) const;
};

}  // namespace linn
