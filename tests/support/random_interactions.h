// Small random data of likes and dislikes.
#pragma once

#include <fmt/format.h>

#include "linn/base/random.h"
#include "linn/data/interactions.h"
#include "linn/recommend/protocol/ranking_model.h"

namespace linn {

struct InteractionRecipe {
  std::size_t users = 30;
  std::size_t items = 40;
  std::size_t ratings = 12;  // per user in training
  std::size_t groups = 4;    // users like the items of their group
  std::uint64_t seed = 1;
};

// Users like items of their own group (user % groups == item % groups) and dislike others. One like of each is held out
// for validation and one for test.
inline InteractionData random_interactions(const InteractionRecipe& recipe) {
  InteractionData data;
  for (std::size_t u = 0; u < recipe.users; ++u) data.users.intern(fmt::format("user{}", u));
  for (std::size_t i = 0; i < recipe.items; ++i) data.items.intern(fmt::format("item{}", i));
  Random random(recipe.seed);
  for (UserId user = 0; user < recipe.users; ++user) {
    std::vector<ItemId> order(recipe.items);
    for (ItemId i = 0; i < order.size(); ++i) order[i] = i;
    random.shuffle(std::span(order));
    const auto likes = [&](ItemId item) { return item % recipe.groups == user % recipe.groups; };
    std::vector<Interaction> held_out;
    std::size_t count = 0;
    for (const ItemId item : order) {
      if (likes(item) && held_out.size() < 2) {
        held_out.push_back({user, item, true, 0});
      } else if (count < recipe.ratings && (likes(item) || random.chance(0.3))) {
        data.train.push_back({user, item, likes(item), static_cast<std::int64_t>(count++)});
      }
    }
    data.validation.push_back(held_out[0]);
    data.test.push_back(held_out[1]);
  }
  return data;
}

inline Catalogue catalogue_of(const InteractionData& data) { return {data.users, data.items, data.titles}; }

}  // namespace linn
