// Measures the quality of explanations.
//
// On any data: does removing the first reason from the history lower the score, and more than removing a random event?
// On generated data, where the rule that caused a like is known: is the first reason part of the rule's body?
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "linn/recommend/reasons/explanation.h"

namespace linn {

// The rules that caused likes in generated data.
class KnownCauses {
 public:
  // Reads rules.tsv (rule, body, head) and causes.tsv (user, item, rule) of a generated folder. Rows with users or
  // items that are not in the data are skipped. Returns nullopt if the folder has no such files. Throws InputError with
  // file and line.
  static std::optional<KnownCauses> read(const std::filesystem::path& folder, const InteractionData& data);

  // The events in the body of the rule that caused the like; empty if none did.
  std::span<const Event> body(UserId user, ItemId item) const;

 private:
  struct Cause {
    UserId user;
    ItemId item;
    std::size_t rule;
  };
  std::vector<std::vector<Event>> bodies_;  // by rule
  std::vector<Cause> causes_;               // sorted by user and item
};

struct ExplanationQuality {
  std::size_t count = 0;  // explained likes
  // The mean drop of the score when removing ...
  double first_drop = 0.0;   // the first reason
  double random_drop = 0.0;  // a random event
  double weight_drop = 0.0;  // the event with the largest weight; without weights, the first reason

  // Likes caused by a rule, with a part of its body among the events that the model reads.
  std::size_t caused = 0;
  // The share of these in which the body of the rule contains ...
  double first_hits = 0.0;         // the first reason
  double weight_hits = 0.0;        // the event with the largest weight
  double cooccurrence_hits = 0.0;  // the event shared by the most users who like the item, in training
  double chance_hits = 0.0;        // a random event
};

// Explains the liked item of each example from the history before it. Users numbered `known_users` and above are new to
// the model.
ExplanationQuality measure_explanations(const RankingModel& model, const Histories& histories,
                                        std::span<const Example> examples, std::size_t known_users,
                                        const KnownCauses* causes, ThreadPool& threads);

}  // namespace linn
