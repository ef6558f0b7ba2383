#include "linn/recommend/protocol/evaluate_ranking.h"

#include <optional>

namespace linn {
namespace {

Query query_of(const Histories& histories, const Example& example, std::size_t known_users) {
  Query query;
  if (example.user < known_users) query.user = example.user;
  query.history = histories.before(example);
  return query;
}

// From the scores of all items: that of the held-out item, then those of all allowed items except the user's likes.
void select_candidates(const Histories& histories, const Candidates& candidates, const Example& example,
                       std::span<const float> scores, std::vector<float>& selected) {
  const ItemId held_out = histories.item(example);
  selected.assign(1, scores[held_out]);
  std::vector<bool> liked(scores.size(), false);
  for (const Event& event : histories.events(example.user)) {
    if (event.liked) liked[event.item] = true;
  }
  for (ItemId item = 0; item < scores.size(); ++item) {
    if (!liked[item] && candidates.allows(item)) selected.push_back(scores[item]);
  }
}

}  // namespace

void score_held_out(const RankingModel& model, const Histories& histories, const Candidates& candidates,
                    std::size_t known_users, ThreadPool& threads,
                    const std::function<void(std::span<const float> scores)>& use) {
  std::vector<float> scores;
  if (candidates.all()) {
    scores.resize(model.items());
    std::vector<float> selected;
    for (const Example& example : candidates.examples()) {
      model.score_all(query_of(histories, example, known_users), scores, threads);
      select_candidates(histories, candidates, example, scores, selected);
      use(selected);
    }
    return;
  }

  // In blocks of queries that have the same number of candidates.
  constexpr std::size_t kBlock = 256;
  std::vector<Query> queries;
  for (std::size_t begin = 0; begin < candidates.size();) {
    const std::size_t each = candidates.items(begin).size();
    std::size_t end = begin;
    queries.clear();
    while (end < candidates.size() && end - begin < kBlock && candidates.items(end).size() == each) {
      queries.push_back(query_of(histories, candidates.example(end++), known_users));
    }
    const std::span<const ItemId> items(candidates.items(begin).data(), queries.size() * each);
    scores.resize(items.size());
    model.score(queries, items, each, scores, threads);
    for (std::size_t i = 0; i < queries.size(); ++i) {
      use(std::span<const float>(scores).subspan(i * each, each));
    }
    begin = end;
  }
}

std::vector<Ranking> rank_held_out(const RankingModel& model, const Histories& histories, const Candidates& candidates,
                                   std::size_t known_users, ThreadPool& threads) {
  std::vector<Ranking> rankings;
  rankings.reserve(candidates.size());
  score_held_out(model, histories, candidates, known_users, threads,
                 [&](std::span<const float> scores) { rankings.push_back(rank_first(scores)); });
  return rankings;
}

FittedData fit_to_catalogue(InteractionData data, const Catalogue& catalogue) {
  FittedData fitted;
  fitted.known_users = catalogue.users.size();
  fitted.data.users = catalogue.users;
  fitted.data.items = catalogue.items;
  fitted.data.titles = catalogue.titles;
  std::vector<UserId> users(data.users.size());
  for (UserId user = 0; user < users.size(); ++user) users[user] = fitted.data.users.intern(data.users.name(user));
  std::vector<std::optional<ItemId>> items(data.items.size());
  for (ItemId item = 0; item < items.size(); ++item) {
    items[item] = catalogue.items.find(data.items.name(item));
    fitted.unknown_items += items[item] ? 0 : 1;
  }
  for (const CategoryColumn& column : data.categories) {
    CategoryColumn& own = fitted.data.categories.emplace_back();
    own.name = column.name;
    own.values.resize(catalogue.items.size());
    for (ItemId item = 0; item < items.size(); ++item) {
      if (items[item]) own.values[*items[item]] = column.values[item];
    }
  }
  const auto translate = [&](std::vector<Interaction> rows) {
    std::size_t kept = 0;
    for (const Interaction& row : rows) {
      if (!items[row.item]) continue;
      rows[kept++] = {users[row.user], *items[row.item], row.liked, row.time};
    }
    fitted.left_out += rows.size() - kept;
    rows.resize(kept);
    return rows;
  };
  fitted.data.train = translate(std::move(data.train));
  fitted.data.validation = translate(std::move(data.validation));
  fitted.data.test = translate(std::move(data.test));
  return fitted;
}

}  // namespace linn
