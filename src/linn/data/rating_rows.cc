#include "linn/data/rating_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "linn/base/utf8.h"
#include "linn/data/numbers.h"
#include "linn/data/split_interactions.h"

namespace linn {
namespace {

constexpr std::size_t kShown = 40;
constexpr std::size_t kFirstRatings = 10;

std::uint32_t intern(Vocabulary& names, std::string_view name, RatingField field) {
  try {
    return intern_identifier(names, name, field == RatingField::kUser ? "user" : "item");
  } catch (const InputError& error) {
    throw RatingError{field, error.message()};
  }
}

// With a decimal point or, as in tables that are separated by semicolons, with a decimal comma. Three digits after a
// comma may be thousands.
std::optional<double> parse_rating(std::string_view text) {
  if (const std::optional<double> value = parse_number(text)) return value;
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos || text.size() - comma == 4) return std::nullopt;
  std::string with_point(text);
  with_point[comma] = '.';
  return parse_number(with_point);
}

}  // namespace

void BadRows::add(const InputError& error) {
  // Without a line, the error concerns the whole file, for example a truncated one.
  if (error.place().line == 0) throw error;
  if (count_ == tolerated_) {
    if (tolerated_ == 0) throw error;
    throw error.with_message(fmt::format("{} (more than the {} invalid row{} allowed)", error.message(), tolerated_,
                                         tolerated_ == 1 ? "" : "s"));
  }
  constexpr std::size_t kMaxShown = 5;
  if (++count_ <= kMaxShown) first_.emplace_back(error.what());
}

ItemId RatingRows::add(std::string_view user, std::string_view item, std::optional<std::string_view> rating,
                       std::string_view time) {
  std::optional<double> value;
  if (rating) value = parse_rating(*rating);
  if (rating && !value) {
    throw RatingError{RatingField::kRating,
                      fmt::format("expected a number as rating, found '{}'", printable(*rating, kShown))};
  }
  const std::optional<Moment> moment = parse_moment(time);
  if (!moment) {
    throw RatingError{RatingField::kTime,
                      fmt::format("expected {} as time, found '{}'", kMomentForms, printable(time, kShown))};
  }
  return add(user, item, value, *moment);
}

ItemId RatingRows::add(std::string_view user, std::string_view item, std::optional<double> rating, Moment time) {
  // The item first: an unrated item is dropped when items are renumbered, but a user would remain.
  const ItemId item_id = intern(items_, item, RatingField::kItem);
  const UserId user_id = intern(users_, user, RatingField::kUser);
  if (rows_.size() < kFirstRatings) first_ratings_.push_back(rating);
  rows_.push_back({user_id, 2 * item_id + (!rating || *rating >= like_from_ ? 1 : 0), time});
  return item_id;
}

void RatingRows::check_title(std::string_view title) {
  if (is_valid_utf8(title)) return;
  throw RatingError{RatingField::kTitle,
                    fmt::format("expected valid UTF-8 as title, found '{}'", printable(title, kShown))};
}

void RatingRows::set_title(ItemId item, std::string_view title) {
  if (title.empty() || (item < titles_.size() && !titles_[item].empty())) return;
  check_title(title);
  if (item >= titles_.size()) titles_.resize(items_.size());
  titles_[item] = clean_title(title);
}

void RatingRows::set_title(std::string_view item, std::string_view title) {
  if (const std::optional<ItemId> known = items_.find(item)) set_title(*known, title);
}

void RatingRows::set_genres(std::string_view item, std::string_view genres) {
  const std::optional<ItemId> known = items_.find(item);
  if (!known || genres.empty() || (*known < genres_.size() && !genres_[*known].empty())) return;
  check_title(genres);
  if (*known >= genres_.size()) genres_.resize(items_.size());
  genres_[*known] = clean_title(genres);
}

std::vector<ImportedRating> RatingRows::first() const {
  std::vector<ImportedRating> first;
  for (std::size_t i = 0; i < first_ratings_.size(); ++i) {
    const Row& row = rows_[i];
    first.push_back({users_.name(row.user), items_.name(row.item()), first_ratings_[i], row.liked(), row.time,
                     row.item() < titles_.size() ? titles_[row.item()] : std::string()});
  }
  return first;
}

RatingRows::ByUser RatingRows::group_by_user() const {
  ByUser grouped;
  grouped.starts.resize(users_.size() + 1);
  for (const Row& row : rows_) ++grouped.starts[row.user + 1];
  std::partial_sum(grouped.starts.begin(), grouped.starts.end(), grouped.starts.begin());
  grouped.rows.resize(rows_.size());
  std::vector<std::size_t> next(grouped.starts.begin(), grouped.starts.end() - 1);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    grouped.rows[next[rows_[i].user]++] = static_cast<std::uint32_t>(i);
  }
  return grouped;
}

RatingRows::Histories RatingRows::take_histories() {
  if (rows_.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw InputError(fmt::format("more than {} ratings", std::numeric_limits<std::uint32_t>::max()));
  }
  ByUser grouped = group_by_user();
  Histories result;
  InteractionData& data = result.data;
  data.train.reserve(rows_.size());

  constexpr UserId kNobody = ~UserId{0};
  std::vector<UserId> last_rated_by(items_.size(), kNobody);
  std::vector<Interaction> history;
  for (UserId user = 0; user < users_.size(); ++user) {
    const std::span<std::uint32_t> order =
        std::span(grouped.rows).subspan(grouped.starts[user], grouped.starts[user + 1] - grouped.starts[user]);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return rows_[a].time < rows_[b].time; });
    history.clear();
    for (const std::uint32_t i : order) {
      const Row& row = rows_[i];
      if (std::exchange(last_rated_by[row.item()], user) == user) {
        ++result.repeated;
        continue;
      }
      ++(row.liked() ? result.likes : result.dislikes);
      history.push_back({user, row.item(), row.liked(), row.time.whole});
    }
    append_history(history, data);
  }
  rows_ = {};
  data.users = std::move(users_);
  data.items = std::move(items_);
  if (!titles_.empty()) titles_.resize(data.items.size());
  data.titles = std::move(titles_);
  if (!genres_.empty()) {
    genres_.resize(data.items.size());
    data.categories.push_back({"genres", std::move(genres_)});
  }
  renumber_items(data, UnusedItems::kDrop);
  users_ = {};
  items_ = {};
  titles_ = {};
  genres_ = {};
  return result;
}

}  // namespace linn
