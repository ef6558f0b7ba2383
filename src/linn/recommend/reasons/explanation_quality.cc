#include "linn/recommend/reasons/explanation_quality.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "linn/base/error.h"
#include "linn/data/table.h"

namespace linn {
namespace {

// Parses "+12 -7": signed items separated by spaces. Returns nullopt if an item is unknown.
std::optional<std::vector<Event>> read_body(const TableReader& table, std::size_t column, const Vocabulary& items) {
  std::vector<Event> body;
  std::string_view text = table.field(column);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (word.size() < 2 || (word[0] != '+' && word[0] != '-')) throw table.error(column, "expected +ITEM or -ITEM");
    const auto item = items.find(word.substr(1));
    if (!item) return std::nullopt;
    body.push_back({*item, word[0] == '+'});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return body;
}

// Counts the users who, in training, had an event and liked an item.
class Cooccurrences {
 public:
  explicit Cooccurrences(const Histories& histories) : users_(2 * histories.items()) {
    for (UserId user = 0; user < histories.users(); ++user) {
      for (const Event& event : histories.training_events(user)) users_of(event).push_back(user);
    }
  }

  std::size_t count(const Event& event, ItemId liked) const {
    const auto& a = users_[2 * event.item + (event.liked ? 1 : 0)];
    const auto& b = users_[2 * liked + 1];
    std::size_t both = 0;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
      both += a[i] == b[j] ? 1 : 0;
      const bool step_a = a[i] <= b[j];
      const bool step_b = b[j] <= a[i];
      i += step_a ? 1 : 0;
      j += step_b ? 1 : 0;
    }
    return both;
  }

 private:
  std::vector<UserId>& users_of(const Event& event) { return users_[2 * event.item + (event.liked ? 1 : 0)]; }

  std::vector<std::vector<UserId>> users_;  // by item and liked, ascending
};

// Whether the event shared by the most users who like the item is right; for ties, the share of right ones.
template <class Right>
double cooccurrence_hit(const Cooccurrences& cooccurrences, std::span<const Reason> reasons, ItemId item,
                        const Right& right) {
  std::size_t most = 0;
  std::size_t tied = 0;
  std::size_t hits = 0;
  for (const Reason& reason : reasons) {
    const std::size_t count = cooccurrences.count(reason.event, item);
    if (count > most) {
      most = count;
      tied = hits = 0;
    }
    if (count < most) continue;
    ++tied;
    hits += right(reason) ? 1 : 0;
  }
  return static_cast<double>(hits) / static_cast<double>(tied);
}

}  // namespace

std::optional<KnownCauses> KnownCauses::read(const std::filesystem::path& folder, const InteractionData& data) {
  if (!std::filesystem::exists(folder / "rules.tsv") || !std::filesystem::exists(folder / "causes.tsv")) return {};
  KnownCauses known;
  std::map<std::string, std::size_t, std::less<>> rules;
  TableReader rule_table(folder / "rules.tsv");
  const std::size_t rule_column = rule_table.column({"rule"});
  const std::size_t body_column = rule_table.column({"body"});
  while (rule_table.next()) {
    auto body = read_body(rule_table, body_column, data.items);
    if (!rules.emplace(rule_table.field(rule_column), known.bodies_.size()).second) {
      throw rule_table.error(rule_column, "this rule is listed twice");
    }
    known.bodies_.push_back(body ? std::move(*body) : std::vector<Event>());
  }
  TableReader cause_table(folder / "causes.tsv");
  const std::size_t user_column = cause_table.column({"user"});
  const std::size_t item_column = cause_table.column({"item"});
  const std::size_t cause_column = cause_table.column({"rule"});
  while (cause_table.next()) {
    const auto rule = rules.find(cause_table.field(cause_column));
    if (rule == rules.end()) throw cause_table.error(cause_column, "no such rule in rules.tsv");
    const auto user = data.users.find(cause_table.field(user_column));
    const auto item = data.items.find(cause_table.field(item_column));
    if (user && item) known.causes_.push_back({*user, *item, rule->second});
  }
  std::ranges::sort(known.causes_, {}, [](const Cause& c) { return std::tuple(c.user, c.item, c.rule); });
  return known;
}

std::span<const Event> KnownCauses::body(UserId user, ItemId item) const {
  const auto key = [](const Cause& c) { return std::pair(c.user, c.item); };
  const auto found = std::ranges::lower_bound(causes_, std::pair(user, item), {}, key);
  if (found == causes_.end() || key(*found) != std::pair(user, item)) return {};
  return bodies_[found->rule];
}

ExplanationQuality measure_explanations(const RankingModel& model, const Histories& histories,
                                        std::span<const Example> examples, std::size_t known_users,
                                        const KnownCauses* causes, ThreadPool& threads) {
  ExplanationQuality quality;
  const Cooccurrences cooccurrences(histories);
  for (const Example& example : examples) {
    const ItemId item = histories.item(example);
    const Query query = {example.user < known_users ? std::optional(example.user) : std::nullopt,
                         histories.before(example)};
    const Explanation explanation = explain(model, query, {&item, 1}, threads).front();
    const std::vector<Reason>& reasons = explanation.reasons;
    if (reasons.empty()) continue;
    const auto heaviest =
        std::ranges::max_element(reasons, {}, [](const Reason& r) { return r.weight.value_or(0.0F); });
    ++quality.count;
    quality.first_drop += static_cast<double>(reasons[0].drop);
    quality.weight_drop += static_cast<double>(heaviest->drop);
    double sum = 0.0;
    for (const Reason& reason : reasons) sum += static_cast<double>(reason.drop);
    quality.random_drop += sum / static_cast<double>(reasons.size());

    const std::span<const Event> body = causes == nullptr ? std::span<const Event>() : causes->body(example.user, item);
    const auto right = [&](const Reason& r) { return std::ranges::find(body, r.event) != body.end(); };
    const auto in_window = static_cast<std::size_t>(std::ranges::count_if(reasons, right));
    if (in_window == 0) continue;
    ++quality.caused;
    quality.first_hits += right(reasons[0]) ? 1.0 : 0.0;
    quality.weight_hits += right(*heaviest) ? 1.0 : 0.0;
    quality.cooccurrence_hits += cooccurrence_hit(cooccurrences, reasons, item, right);
    quality.chance_hits += static_cast<double>(in_window) / static_cast<double>(reasons.size());
  }
  const auto mean = [](double& value, std::size_t count) {
    value /= static_cast<double>(std::max<std::size_t>(count, 1));
  };
  for (double* drop : {&quality.first_drop, &quality.random_drop, &quality.weight_drop}) mean(*drop, quality.count);
  for (double* hits : {&quality.first_hits, &quality.weight_hits, &quality.cooccurrence_hits, &quality.chance_hits}) {
    mean(*hits, quality.caused);
  }
  return quality;
}

}  // namespace linn
