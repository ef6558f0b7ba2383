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
  std::optional<std::size_t> ratings;  // in total; nine per user by default
  std::optional<std::size_t> rules;    // RuleBook::default_count() by default
  // The share of likes among all ratings, and of rule-caused likes among the likes.
  double like_share = 0.8;
  double caused_share = 0.5;
  std::uint64_t seed = 0;
};

// The minimum number of ratings per user, and the number of interactions that a rule looks back on.
inline constexpr std::size_t kMinRatings = 5;
inline constexpr std::size_t kRuleWindow = 10;

// A like of a rule's head by a user whose last ten interactions satisfied its body.
struct Cause {
  UserId user = 0;
  ItemId item = 0;
  std::uint32_t rule = 0;

  friend bool operator==(const Cause&, const Cause&) = default;
};

struct GeneratedInteractions {
  InteractionData data;
  std::vector<HiddenRule> rules;
  std::vector<Cause> causes;  // ordered by user, then by time
};

// Generates users and items named 1, 2, ... The number of ratings varies between users (many have few, few have many),
// and a user rates an item at most once. If a rule can fire, it may cause a like; any other like, and every dislike, is
// of an item the user encounters: a popular one, or the companion of a recently rated one. No user dislikes the head of
// a rule while its body holds. A recipe gives the same data on every platform. Throws InputError naming the invalid
// setting.
GeneratedInteractions generate_interactions(const InteractionRecipe& recipe);

// Writes the data folder including rules.tsv and causes.tsv. All files appear together.
void write_generated_interactions(const std::filesystem::path& folder, const GeneratedInteractions& generated);

}  // namespace linn
