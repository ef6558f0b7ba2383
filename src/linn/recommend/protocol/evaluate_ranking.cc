#include "linn/recommend/protocol/evaluate_ranking.h"

#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace linn {
namespace {

struct IndexRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

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

using Use = std::function<void(std::size_t number, std::span<const float> scores)>;

// Held-out items that are scored together.
std::vector<IndexRange> blocks_of(const Candidates& candidates) {
  // One by one, or up to so many that have the same number of candidates.
  constexpr std::size_t kBlock = 256;
  std::vector<IndexRange> blocks;
  for (std::size_t begin = 0; begin < candidates.size();) {
    std::size_t end = begin + 1;
    if (!candidates.all()) {
      const std::size_t each = candidates.items(begin).size();
      while (end < candidates.size() && end - begin < kBlock && candidates.items(end).size() == each) ++end;
    }
    blocks.push_back({begin, end});
    begin = end;
  }
  return blocks;
}

// Calls `use` for every held-out item of the blocks, in order, with its score followed by the scores of its candidates.
void score_held_out(const RankingModel& model, const Histories& histories, const Candidates& candidates,
                    std::span<const IndexRange> blocks, std::size_t known_users, ThreadPool& threads, const Use& use) {
  std::vector<float> scores;
  std::vector<float> selected;
  std::vector<Query> queries;
  for (const auto [begin, end] : blocks) {
    if (candidates.all()) {
      const Example& example = candidates.example(begin);
      scores.resize(model.items());
      model.score_all(query_of(histories, example, known_users), scores, threads);
      select_candidates(histories, candidates, example, scores, selected);
      use(begin, selected);
      continue;
    }
    queries.clear();
    for (std::size_t i = begin; i < end; ++i) {
      queries.push_back(query_of(histories, candidates.example(i), known_users));
    }
    const std::size_t each = candidates.items(begin).size();
    const std::span<const ItemId> items(candidates.items(begin).data(), queries.size() * each);
    scores.resize(items.size());
    model.score(queries, items, each, scores, threads);
    for (std::size_t i = begin; i < end; ++i) {
      use(i, std::span<const float>(scores).subspan((i - begin) * each, each));
    }
  }
}

template <class T>
void append(std::string& text, std::span<const T> values) {
  text.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}
template <class T>
std::vector<T> take(std::string_view& text, std::size_t count) {
  std::vector<T> values(count);
  std::memcpy(values.data(), text.data(), count * sizeof(T));
  text.remove_prefix(count * sizeof(T));
  return values;
}

}  // namespace

std::vector<Ranking> rank_held_out(const RankingModel& model, const Histories& histories, const Candidates& candidates,
                                   std::size_t known_users, ThreadPool& threads, ProcessGroup* processes,
                                   LabelNoiseEstimate* noise) {
  const std::vector<IndexRange> all = blocks_of(candidates);
  const std::size_t size = processes == nullptr ? 1 : processes->size();
  const std::size_t rank = processes == nullptr ? 0 : processes->rank();
  const auto own =
      std::span(all).subspan(all.size() * rank / size, all.size() * (rank + 1) / size - all.size() * rank / size);

  std::vector<Ranking> rankings;
  if (size == 1) {
    rankings.reserve(candidates.size());
    score_held_out(model, histories, candidates, own, known_users, threads,
                   [&](std::size_t, std::span<const float> scores) {
                     rankings.push_back(rank_first(scores));
                     if (noise != nullptr) noise->add(scores);
                   });
    return rankings;
  }
  // For each item its rank and, if they are asked for, its scores.
  const auto with_scores = [&](std::size_t number) { return noise != nullptr && number < LabelNoiseEstimate::kMost; };
  std::string text;
  score_held_out(model, histories, candidates, own, known_users, threads,
                 [&](std::size_t number, std::span<const float> scores) {
                   const Ranking ranking = rank_first(scores);
                   append(text, std::span(&ranking, 1));
                   if (with_scores(number)) append(text, scores);
                 });
  for (const std::string& part : gather(*processes, text)) {
    for (std::string_view left = part; !left.empty();) {
      const Ranking ranking = take<Ranking>(left, 1)[0];
      if (with_scores(rankings.size())) noise->add(take<float>(left, ranking.others + std::size_t{1}));
      rankings.push_back(ranking);
    }
  }
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
