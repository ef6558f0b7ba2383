// Rules such as "users who like A and dislike B will like C", which generated users follow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "linn/base/random.h"
#include "linn/data/interactions.h"

namespace linn {

struct SignedItem {
  ItemId item = 0;
  bool liked = false;

  friend bool operator==(const SignedItem&, const SignedItem&) = default;
};

struct HiddenRule {
  std::array<SignedItem, 2> literals;
  std::uint8_t size = 1;  // number of literals in the body
  ItemId head = 0;

  std::span<const SignedItem> body() const { return std::span(literals).first(size); }
};

// Whether the window contains the whole body.
bool holds(const HiddenRule& rule, std::span<const SignedItem> window);

// The rules of a catalogue whose items are numbered by popularity.
//
// Bodies consist of the most popular twentieth of the items; otherwise rules would hardly ever fire. These items form
// couples, like the two parts of a story: users who rate one often rate the other soon after. Eight rules require one
// item of a couple, or both with particular signs, so that only the signs tell which of them hold. Every rule has its
// own head among the least popular items, so that most likes of a head are caused by its rule.
class RuleBook {
 public:
  static constexpr std::uint32_t kNoRule = std::numeric_limits<std::uint32_t>::max();

  // The usual number of rules for a catalogue, and the maximum.
  static std::size_t default_count(std::size_t items);
  static std::size_t most(std::size_t items);

  RuleBook(std::size_t count, std::size_t items, Random& random);

  std::span<const HiddenRule> rules() const { return rules_; }
  // The rule with this head, or kNoRule.
  std::uint32_t rule_for(ItemId head) const { return rule_of_head_[head]; }
  // The other item of a couple, or kNoItem for an item outside any couple.
  ItemId companion(ItemId item) const { return item < 2 * couples_ ? item ^ 1U : kNoItem; }
  // Appends the rules whose bodies hold in the window.
  void find_holding(std::span<const SignedItem> window, std::vector<std::uint32_t>& found) const;

 private:
  std::size_t couples_;
  std::vector<HiddenRule> rules_;
  std::vector<std::uint32_t> rule_of_head_;             // by item
  std::vector<std::vector<std::uint32_t>> by_literal_;  // the rules whose body ends with the literal
};

}  // namespace linn
