// Rules such as "who likes A and dislikes B will like C", which generated users follow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "linn/base/random.h"
#include "linn/data/interactions.h"
#include "linn/data/popularity.h"

namespace linn {

struct SignedItem {
  ItemId item = 0;
  bool liked = false;

  friend bool operator==(const SignedItem&, const SignedItem&) = default;
};

struct HiddenRule {
  std::array<SignedItem, 2> literals;
  std::uint8_t size = 1;  // how many of them there are
  ItemId head = 0;

  std::span<const SignedItem> body() const { return std::span(literals).first(size); }
};

// True if all of the body is in the window.
bool holds(const HiddenRule& rule, std::span<const SignedItem> window);

// The rules of a catalogue whose items are numbered by popularity. Bodies are made of the most popular items, or rules
// would hardly ever fire; every rule has a head of its own among the least popular ones, so that whoever likes it
// mostly does so because of the rule. A quarter of the rules have bodies of two items, and these come in pairs that
// differ in one sign alone. The others have one item, liked or disliked.
class RuleBook {
 public:
  static constexpr std::uint32_t kNoRule = std::numeric_limits<std::uint32_t>::max();

  // How many rules suit a catalogue: four for each item of the popular half.
  static std::size_t usual_count(const Popularity& popularity);
  // The most that a catalogue has room for.
  static std::size_t most(const Popularity& popularity);

  RuleBook(std::size_t count, const Popularity& popularity, Random& random);

  std::span<const HiddenRule> rules() const { return rules_; }
  // The rule with this head, or kNoRule.
  std::uint32_t rule_for(ItemId head) const { return rule_of_head_[head]; }
  // Appends the rules whose bodies hold in the window.
  void find_holding(std::span<const SignedItem> window, std::vector<std::uint32_t>& found) const;

 private:
  void add_single_bodies(std::size_t count, std::size_t body_items);
  void add_pair_bodies(std::size_t count, std::size_t body_items, const Popularity& popularity, Random& random);

  std::vector<HiddenRule> rules_;
  std::vector<std::uint32_t> rule_of_head_;  // by item
  // The rules by the less popular literal of their bodies: the lists of popular ones would be long.
  std::vector<std::vector<std::uint32_t>> by_literal_;
};

}  // namespace linn
