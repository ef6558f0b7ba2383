// Whether reasons are the right ones.
//
// On any data: does the score fall when the first reason is taken out of the history, and more than without a random
// event? On generated data, where it is known which rule caused a like: is the first reason part of the rule's body?
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "linn/recommend/reasons/explanation.h"

namespace linn {

// Likes that a known rule caused: the events that its body asks for.
class KnownCauses {
 public:
  // Reads rules.tsv (rule, body, head) and causes.tsv (user, item, rule) of a generated folder, in the numbers of the
  // data; rows about users or items that it lacks are left out. None where the folder has no such files. Throws
  // InputError naming file and line.
  static std::optional<KnownCauses> read(const std::filesystem::path& folder, const InteractionData& data);

  // Empty where no rule caused the like.
  std::span<const Event> body(UserId user, ItemId item) const;

 private:
  struct Cause {
    UserId user;
    ItemId item;
    std::size_t rule;
  };
  std::vector<std::vector<Event>> bodies_;  // by rule
  std::vector<Cause> causes_;               // by user and item
};

struct ExplanationQuality {
  std::size_t count = 0;     // likes that were explained
  double first_drop = 0.0;   // of the score without the first reason, mean
  double random_drop = 0.0;  // of the score without an event, mean over all events
  double weight_drop = 0.0;  // without the event of the greatest weight; that of the first reason where there are none

  // Likes that a rule caused, with a part of its body among the events that the model reads.
  std::size_t caused = 0;
  // Shares of these in which a part of the body is ...
  double first_hits = 0.0;         // the first reason
  double weight_hits = 0.0;        // the event of the greatest weight
  double cooccurrence_hits = 0.0;  // the event that most users of the training share who like the item
  double chance_hits = 0.0;        // an event at random
};

// Explains the liked item of each example by the history before it. Users from `known_users` on are new to the model.
ExplanationQuality measure_explanations(const RankingModel& model, const Histories& histories,
                                        std::span<const Example> examples, std::size_t known_users,
                                        const KnownCauses* causes, ThreadPool& threads);

}  // namespace linn
