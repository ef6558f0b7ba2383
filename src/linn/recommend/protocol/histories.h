// What every user did, in order, and which likes a recommender learns from or is asked about.
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

// A liked item of a user: event number `position` of that user. Its history is everything before.
struct Example {
  UserId user = 0;
  std::uint32_t position = 0;

  friend bool operator==(const Example&, const Example&) = default;
};

// All users' events in flat arrays: training rows, then validation, then test. Of repeated (user, item) pairs the first
// counts and the others are left out.
class Histories {
 public:
  explicit Histories(const InteractionData& data);

  std::size_t users() const { return starts_.size() - 1; }
  std::size_t items() const { return items_; }

  // All events of a user, oldest first.
  std::span<const Event> events(UserId user) const;
  // Those of the training rows alone.
  std::span<const Event> training_events(UserId user) const;
  std::span<const Event> before(const Example& example) const { return events(example.user).first(example.position); }
  ItemId item(const Example& example) const { return events(example.user)[example.position].item; }

  // Every like of the split that has a history, users in order, each user's in order.
  std::vector<Example> examples(Split split) const;

 private:
  std::size_t items_ = 0;
  std::vector<Event> events_;
  std::vector<std::size_t> starts_;         // of each user, and the end
  std::vector<std::size_t> validation_at_;  // where a user's validation rows begin
  std::vector<std::size_t> test_at_;
};

// The part of a history that a model reads: its last `length` events, or its last `length` likes without dislikes.
struct HistoryWindow {
  std::size_t length = 10;  // 0: all
  bool dislikes = true;

  // Appends to `out`, oldest first.
  void cut(std::span<const Event> history, std::vector<Event>& out) const;
};

}  // namespace linn
