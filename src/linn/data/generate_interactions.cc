#include "linn/data/generate_interactions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "linn/base/error.h"
#include "linn/base/random.h"
#include "linn/data/item_titles.h"
#include "linn/data/numbers.h"
#include "linn/data/popularity.h"
#include "linn/data/split_interactions.h"

namespace linn {
namespace {

// Each has its own stream, so that changing the number of users does not change the rules.
enum Stream : std::uint64_t { kRules = 1, kNames, kCounts, kHistories, kTimes };

constexpr std::size_t kDefaultRatings = 9;
constexpr std::size_t kMinItems = 10;
constexpr std::size_t kMax = 1'000'000'000;
constexpr std::int64_t kMillion = 1'000'000;

std::size_t ratings_of(const InteractionRecipe& recipe) {
  return recipe.ratings.value_or(kDefaultRatings * recipe.users);
}

// Users rate at most half of all items, so that some unpopular items remain to be drawn.
std::size_t max_ratings_per_user(const InteractionRecipe& recipe) { return recipe.items / 2; }

void check(const InteractionRecipe& recipe) {
  if (recipe.users == 0 || recipe.users > kMax) {
    throw InputError(fmt::format("users: expected 1 to {}, found {}", kMax, recipe.users));
  }
  if (recipe.items < kMinItems || recipe.items > kMax) {
    throw InputError(fmt::format("items: expected {} to {}, found {}", kMinItems, kMax, recipe.items));
  }
  const std::size_t ratings = ratings_of(recipe);
  const std::size_t fewest = kMinRatings * recipe.users;
  const std::size_t most = max_ratings_per_user(recipe) * recipe.users;
  if (ratings < fewest || ratings > most) {
    throw InputError(
        fmt::format("ratings: expected {} to {}, found {} ({} users, each with at least {} ratings and at most half "
                    "of the {} items)",
                    fewest, most, ratings, recipe.users, kMinRatings, recipe.items));
  }
  check_share("share of likes", recipe.like_share);
  check_share("share of caused likes", recipe.caused_share);
}

// The number of ratings of each user: at least five, long-tailed, and adding up to exactly the requested total. The
// excess over five follows a Lomax distribution with exponent 8/3, close to that of the Amazon data sets, truncated at
// fifty times the mean; sampling it needs only square roots, which are identical on every platform.
std::vector<std::uint32_t> draw_rating_counts(const InteractionRecipe& recipe) {
  Random random(recipe.seed, kCounts);
  const double mean = static_cast<double>(ratings_of(recipe)) / static_cast<double>(recipe.users);
  const double scale = (mean - kMinRatings) * 5.0 / 3.0;
  const double most = std::min(50.0 * mean, static_cast<double>(max_ratings_per_user(recipe))) - kMinRatings;
  std::vector<std::uint32_t> counts(recipe.users);
  std::size_t sum = 0;
  for (std::uint32_t& count : counts) {
    const double root4 = std::sqrt(std::sqrt(1.0 - random.uniform()));
    const double extra = scale * (1.0 / (root4 * std::sqrt(root4)) - 1.0);
    // The fraction is rounded randomly, so that rounding does not change the mean.
    count = static_cast<std::uint32_t>(kMinRatings + std::min(extra + random.uniform(), most));
    sum += count;
  }
  // Adds or removes one rating per user where possible, starting at a random user, until the sum is right.
  const std::size_t wanted = ratings_of(recipe);
  for (std::size_t user = random.below(recipe.users); sum != wanted; user = (user + 1) % recipe.users) {
    if (sum < wanted && counts[user] < max_ratings_per_user(recipe)) {
      ++counts[user];
      ++sum;
    } else if (sum > wanted && counts[user] > kMinRatings) {
      --counts[user];
      --sum;
    }
  }
  return counts;
}

// Generates the histories of one user after another. Items are numbered by popularity.
class HistoryGenerator {
 public:
  HistoryGenerator(const InteractionRecipe& recipe, const Popularity& popularity, const RuleBook& book)
      : popularity_(popularity),
        book_(book),
        like_share_(std::llround(recipe.like_share * kMillion)),
        caused_share_(std::llround(recipe.caused_share * kMillion)),
        random_(recipe.seed, kHistories),
        times_(recipe.seed, kTimes),
        last_rated_by_(recipe.items, kNobody),
        uses_(book.rules().size()) {}

  // The history is valid until the next call.
  std::span<const Interaction> make(UserId user, std::size_t length, std::vector<Cause>& causes) {
    events_.clear();
    history_.clear();
    constexpr std::int64_t kFirstTime = 1'500'000'000;
    constexpr std::uint64_t kYears = 100'000'000;
    constexpr std::uint64_t kMaxPause = 200'000;
    std::int64_t time = kFirstTime + static_cast<std::int64_t>(times_.below(kYears));
    for (std::size_t i = 0; i < length; ++i) {
      const SignedItem event = next(user, causes);
      last_rated_by_[event.item] = user;
      events_.push_back(event);
      history_.push_back({user, event.item, event.liked, time});
      time += 1 + static_cast<std::int64_t>(times_.below(kMaxPause));
    }
    return history_;
  }

 private:
  static constexpr UserId kNobody = ~UserId{0};

  SignedItem next(UserId user, std::vector<Cause>& causes) {
    const std::size_t window_size = std::min(events_.size(), kRuleWindow);
    const std::span<const SignedItem> window = std::span<const SignedItem>(events_).last(window_size);
    bool liked = chance(like_share_);
    std::uint32_t rule = RuleBook::kNoRule;
    if (liked && wants_cause()) rule = choose_rule(user, window);
    ItemId item = 0;
    if (rule != RuleBook::kNoRule) {
      item = book_.rules()[rule].head;
    } else {
      item = draw_item(user, window);
      // The item may also be the head of a rule by chance; then the rule determines the sign.
      rule = book_.rule_for(item);
      if (rule != RuleBook::kNoRule && !holds(book_.rules()[rule], window)) rule = RuleBook::kNoRule;
      liked = liked || rule != RuleBook::kNoRule;
    }
    if (rule != RuleBook::kNoRule) {
      causes.push_back({user, item, rule});
      ++uses_[rule];
      ++caused_;
    }
    if (liked) ++likes_;
    return {item, liked};
  }

  // Draws the next item: often the companion of a recently rated one, otherwise a popular one.
  ItemId draw_item(UserId user, std::span<const SignedItem> window) {
    if (random_.below(3) != 0) {
      for (std::size_t i = window.size(); i-- > 0;) {
        const ItemId companion = book_.companion(window[i].item);
        if (companion != kNoItem && last_rated_by_[companion] != user) return companion;
      }
    }
    while (true) {
      const auto item = static_cast<ItemId>(popularity_.draw(random_));
      if (last_rated_by_[item] != user) return item;
    }
  }

  bool chance(std::int64_t millionths) { return static_cast<std::int64_t>(random_.below(kMillion)) < millionths; }

  // Often no rule can fire, especially at the start of a history. So the probability of requesting one rises with the
  // number of likes by which caused likes lag behind, and reaches 1 at fifty.
  bool wants_cause() {
    const std::int64_t lag = likes_ * caused_share_ - caused_ * kMillion;
    return chance(caused_share_ + lag / 50);
  }

  // Among the rules that hold and whose head the user has not rated yet, the least used, so that rules that rarely hold
  // are represented too.
  std::uint32_t choose_rule(UserId user, std::span<const SignedItem> window) {
    holding_.clear();
    book_.find_holding(window, holding_);
    std::uint32_t best = RuleBook::kNoRule;
    for (const std::uint32_t rule : holding_) {
      if (last_rated_by_[book_.rules()[rule].head] == user) continue;
      if (best == RuleBook::kNoRule || uses_[rule] < uses_[best]) best = rule;
    }
    return best;
  }

  const Popularity& popularity_;
  const RuleBook& book_;
  std::int64_t like_share_, caused_share_;  // in millionths
  std::int64_t likes_ = 0, caused_ = 0;
  Random random_, times_;
  std::vector<UserId> last_rated_by_;
  std::vector<std::uint64_t> uses_;
  std::vector<SignedItem> events_;
  std::vector<Interaction> history_;
  std::vector<std::uint32_t> holding_;
};

// Names that reveal nothing about popularity, and matching titles.
void name_items(const InteractionRecipe& recipe, InteractionData& data) {
  std::vector<ItemId> numbers(recipe.items);
  std::iota(numbers.begin(), numbers.end(), ItemId{0});
  Random(recipe.seed, kNames).shuffle(std::span(numbers));
  data.titles.reserve(recipe.items);
  for (const ItemId number : numbers) {
    data.items.intern(fmt::format_int(number + 1).c_str());
    data.titles.push_back(generated_title(number));
  }
}

std::string body_text(const HiddenRule& rule, const Vocabulary& items) {
  std::string text;
  for (const SignedItem& literal : rule.body()) {
    fmt::format_to(std::back_inserter(text), "{}{}{}", text.empty() ? "" : " ", literal.liked ? '+' : '-',
                   items.name(literal.item));
  }
  return text;
}

}  // namespace

GeneratedInteractions generate_interactions(const InteractionRecipe& recipe) {
  check(recipe);
  const Popularity popularity(recipe.items);
  const std::size_t rules = recipe.rules.value_or(RuleBook::default_count(recipe.items));
  if (rules > RuleBook::most(recipe.items)) {
    throw InputError(
        fmt::format("rules: {} items allow at most {}, found {}", recipe.items, RuleBook::most(recipe.items), rules));
  }
  Random random(recipe.seed, kRules);
  const RuleBook book(rules, recipe.items, random);

  GeneratedInteractions generated;
  generated.rules.assign(book.rules().begin(), book.rules().end());
  InteractionData& data = generated.data;
  name_items(recipe, data);
  const std::vector<std::uint32_t> counts = draw_rating_counts(recipe);
  HistoryGenerator generator(recipe, popularity, book);
  data.train.reserve(ratings_of(recipe));
  for (UserId user = 0; user < recipe.users; ++user) {
    data.users.intern(fmt::format_int(user + 1).c_str());
    append_history(generator.make(user, counts[user], generated.causes), data);
  }

  const std::vector<ItemId> numbers = renumber_items(data, UnusedItems::kKeep);
  for (HiddenRule& rule : generated.rules) {
    for (SignedItem& literal : rule.literals) literal.item = numbers[literal.item];
    rule.head = numbers[rule.head];
  }
  for (Cause& cause : generated.causes) cause.item = numbers[cause.item];
  return generated;
}

void write_generated_interactions(const std::filesystem::path& folder, const GeneratedInteractions& generated) {
  const Vocabulary& items = generated.data.items;
  FileSet files(folder);
  write_interactions(files, generated.data);
  FileWriter& rules = files.add("rules.tsv");
  rules.write("rule\tbody\thead\n");
  for (std::size_t i = 0; i < generated.rules.size(); ++i) {
    const HiddenRule& rule = generated.rules[i];
    rules.write(fmt::format("{}\t{}\t{}\n", i + 1, body_text(rule, items), items.name(rule.head)));
  }
  FileWriter& causes = files.add("causes.tsv");
  causes.write("user\titem\trule\n");
  for (const Cause& cause : generated.causes) {
    causes.write(
        fmt::format("{}\t{}\t{}\n", generated.data.users.name(cause.user), items.name(cause.item), cause.rule + 1));
  }
  files.commit();
}

}  // namespace linn
