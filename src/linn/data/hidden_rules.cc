#include "linn/data/hidden_rules.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <set>
#include <utility>

namespace linn {
namespace {

// Bodies are made of the items that get half of all popular interest.
constexpr double kPopularShare = 0.5;
constexpr std::size_t kRulesPerItem = 4;

std::size_t most_body_items(const Popularity& popularity) {
  return std::min(std::max<std::size_t>(popularity.top_with_share(kPopularShare), 2), popularity.items() / 2);
}

std::size_t index_of(SignedItem literal) { return 2 * std::size_t{literal.item} + (literal.liked ? 1 : 0); }

}  // namespace

bool holds(const HiddenRule& rule, std::span<const SignedItem> window) {
  return std::all_of(rule.body().begin(), rule.body().end(), [&](const SignedItem& literal) {
    return std::find(window.begin(), window.end(), literal) != window.end();
  });
}

std::size_t RuleBook::most(const Popularity& popularity) { return popularity.items() - most_body_items(popularity); }

std::size_t RuleBook::usual_count(const Popularity& popularity) {
  return std::min(kRulesPerItem * most_body_items(popularity), most(popularity));
}

RuleBook::RuleBook(std::size_t count, const Popularity& popularity, Random& random)
    : rule_of_head_(popularity.items(), kNoRule) {
  assert(count <= most(popularity));
  const std::size_t body_items =
      std::clamp<std::size_t>((count + kRulesPerItem - 1) / kRulesPerItem, 2, most_body_items(popularity));
  const std::size_t pairs = count / 4;
  rules_.reserve(count);
  add_single_bodies(count - pairs, body_items);
  add_pair_bodies(pairs, body_items, popularity, random);

  std::vector<ItemId> heads(count);
  std::iota(heads.begin(), heads.end(), static_cast<ItemId>(popularity.items() - count));
  random.shuffle(std::span(heads));
  by_literal_.resize(2 * body_items);
  for (std::uint32_t r = 0; r < count; ++r) {
    HiddenRule& rule = rules_[r];
    rule.head = heads[r];
    rule_of_head_[rule.head] = r;
    by_literal_[index_of(rule.literals[rule.size - 1U])].push_back(r);
  }
}

// Likes are more frequent than dislikes, and get every other round.
void RuleBook::add_single_bodies(std::size_t count, std::size_t body_items) {
  for (std::size_t i = 0; i < count; ++i) {
    HiddenRule rule;
    rule.literals[0] = {static_cast<ItemId>(i % body_items), i / body_items % 2 == 0};
    rules_.push_back(rule);
  }
}

void RuleBook::add_pair_bodies(std::size_t count, std::size_t body_items, const Popularity& popularity,
                               Random& random) {
  std::set<std::pair<std::size_t, std::size_t>> taken;
  const std::size_t end = rules_.size() + count;
  while (rules_.size() < end) {
    auto first = static_cast<ItemId>(popularity.draw_top(random, body_items));
    auto second = static_cast<ItemId>(popularity.draw_top(random, body_items));
    const bool first_liked = random.below(4) != 0;
    if (first == second) continue;
    if (first > second) std::swap(first, second);
    for (const bool second_liked : {true, false}) {
      HiddenRule rule;
      rule.literals = {{{first, first_liked}, {second, second_liked}}};
      rule.size = 2;
      const bool fresh = taken.emplace(index_of(rule.literals[0]), index_of(rule.literals[1])).second;
      if (fresh && rules_.size() < end) rules_.push_back(rule);
    }
  }
}

void RuleBook::find_holding(std::span<const SignedItem> window, std::vector<std::uint32_t>& found) const {
  for (const SignedItem& literal : window) {
    const std::size_t index = index_of(literal);
    if (index >= by_literal_.size()) continue;
    for (const std::uint32_t r : by_literal_[index]) {
      if (holds(rules_[r], window)) found.push_back(r);
    }
  }
}

}  // namespace linn
