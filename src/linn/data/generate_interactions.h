// Random likes and dislikes of users who follow hidden rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "linn/data/hidden_rules.h"
#include "linn/data/interactions.h"

namespace linn {

struct InteractionRecipe {
  std::size_t users = 1000;
  std::size_t items = 500;
  std::optional<std::size_t> ratings;  // in all; without it nine a user
  std::optional<std::size_t> rules;    // without it RuleBook::usual_count()
  // The share of likes among all ratings, and of those that a rule caused among the likes.
  double like_share = 0.8;
  double caused_share = 0.5;
  std::uint64_t seed = 0;
};

// Every user has at least so many ratings, and a rule looks back over so many.
inline constexpr std::size_t kFewestRatings = 5;
inline constexpr std::size_t kRuleWindow = 10;

// A like of a rule's head by a user in whose last ten interactions its body held.
struct Cause {
  UserId user = 0;
  ItemId item = 0;
  std::uint32_t rule = 0;

  friend bool operator==(const Cause&, const Cause&) = default;
};

struct GeneratedInteractions {
  InteractionData data;
  std::vector<HiddenRule> rules;
  std::vector<Cause> causes;  // users in order, each user's in order
};

// Users and items are named 1, 2, ... Each user has a number of ratings of its own (many have few, few have many), all
// of different items. A like is caused by a rule, where one can fire; or else it is, like every dislike, that of an
// item that the user comes upon: a popular one, or the companion of one rated lately. Nobody dislikes the head of a
// rule while its body holds. The same recipe gives the same data on every platform. Throws InputError naming the option
// that is wrong.
GeneratedInteractions generate_interactions(const InteractionRecipe& recipe);

// Writes the data folder and, in it, rules.tsv and causes.tsv. All files appear when all are complete.
void write_generated_interactions(const std::filesystem::path& folder, const GeneratedInteractions& generated);

}  // namespace linn
