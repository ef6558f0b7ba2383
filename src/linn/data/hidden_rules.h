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

// The rules of a catalogue whose items are numbered by popularity.
//
// Bodies are made of the most popular items, a twentieth of all, or rules would hardly ever fire. These items come in
// couples, as the two parts of a story do: who rates one often rates the other soon after. Eight rules ask for one of a
// couple, or for both with certain signs, so that only the signs tell which of them hold. Every rule has a head of its
// own among the least popular items, so that whoever likes it mostly does so because of the rule.
class RuleBook {
 public:
  static constexpr std::uint32_t kNoRule = std::numeric_limits<std::uint32_t>::max();

  // How many rules suit a catalogue, and the most that it has room for.
  static std::size_t usual_count(std::size_t items);
  static std::size_t most(std::size_t items);

  RuleBook(std::size_t count, std::size_t items, Random& random);

  std::span<const HiddenRule> rules() const { return rules_; }
  // The rule with this head, or kNoRule.
  std::uint32_t rule_for(ItemId head) const { return rule_of_head_[head]; }
  // The other item of a couple, or kNoItem for an item that stands alone.
  ItemId companion(ItemId item) const { return item < 2 * couples_ ? item ^ 1U : kNoItem; }
  // Appends the rules whose bodies hold in the window.
  void find_holding(std::span<const SignedItem> window, std::vector<std::uint32_t>& found) const;

 private:
  std::size_t couples_;
  std::vector<HiddenRule> rules_;
  std::vector<std::uint32_t> rule_of_head_;             // by item
  std::vector<std::vector<std::uint32_t>> by_literal_;  // the rules whose body ends with it
};

}  // namespace linn
