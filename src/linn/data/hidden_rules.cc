#include "linn/data/hidden_rules.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace linn {
namespace {

constexpr std::size_t kBodiesOfCouple = 8;

std::size_t most_couples(std::size_t items) { return std::max<std::size_t>(items / 40, 2); }

// The bodies over a couple, the most informative first. Both liked is by far the most frequent case and has two rules.
HiddenRule body_of_couple(ItemId first, std::size_t kind) {
  const SignedItem likes_first{first, true}, dislikes_first{first, false};
  const SignedItem likes_second{first + 1, true}, dislikes_second{first + 1, false};
  const auto rule = [](SignedItem a) { return HiddenRule{{a}, 1, 0}; };
  const auto rule_of_two = [](SignedItem a, SignedItem b) { return HiddenRule{{a, b}, 2, 0}; };
  switch (kind) {
    case 0:
      return rule_of_two(likes_first, dislikes_second);
    case 1:
      return rule_of_two(likes_first, likes_second);
    case 2:
      return rule(likes_first);
    case 3:
      return rule(dislikes_first);
    case 4:
      return rule_of_two(dislikes_first, likes_second);
    case 5:
      return rule(likes_second);
    case 6:
      return rule(dislikes_second);
    default:
      return rule_of_two(likes_first, likes_second);
  }
}

std::size_t index_of(SignedItem literal) { return 2 * std::size_t{literal.item} + (literal.liked ? 1 : 0); }

}  // namespace

bool holds(const HiddenRule& rule, std::span<const SignedItem> window) {
  return std::all_of(rule.body().begin(), rule.body().end(), [&](const SignedItem& literal) {
    return std::find(window.begin(), window.end(), literal) != window.end();
  });
}

std::size_t RuleBook::most(std::size_t items) { return items - 2 * most_couples(items); }

std::size_t RuleBook::default_count(std::size_t items) {
  return std::min(kBodiesOfCouple * most_couples(items), most(items));
}

RuleBook::RuleBook(std::size_t count, std::size_t items, Random& random)
    : couples_(std::min((count + kBodiesOfCouple - 1) / kBodiesOfCouple, most_couples(items))),
      rule_of_head_(items, kNoRule),
      by_literal_(4 * couples_) {
  assert(count <= most(items));
  std::vector<ItemId> heads(count);
  std::iota(heads.begin(), heads.end(), static_cast<ItemId>(items - count));
  random.shuffle(std::span(heads));
  rules_.reserve(count);
  for (std::uint32_t r = 0; r < count; ++r) {
    // If there are more rules than bodies, bodies get additional heads.
    const auto first = static_cast<ItemId>(2 * (r / kBodiesOfCouple % couples_));
    HiddenRule& rule = rules_.emplace_back(body_of_couple(first, r % kBodiesOfCouple));
    rule.head = heads[r];
    rule_of_head_[rule.head] = r;
    by_literal_[index_of(rule.body().back())].push_back(r);
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
