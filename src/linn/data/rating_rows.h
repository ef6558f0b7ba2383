// What an importer gathers from a source: ratings as compact rows, titles, and rows that could not be read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "linn/base/error.h"
#include "linn/data/interactions.h"
#include "linn/data/numbers.h"

namespace linn {

enum class RatingField : std::uint8_t { kUser, kItem, kRating, kTime, kTitle };
inline constexpr std::size_t kRatingFields = 5;

// What is wrong with one field of a rating; who knows where the field stands makes an InputError of it.
struct RatingError {
  RatingField field;
  std::string message;
};

// Counts broken rows, and gives up where there are more than are tolerated.
class BadRows {
 public:
  explicit BadRows(std::size_t tolerated) : tolerated_(tolerated) {}

  // Throws the error if it is one too many, or not about a line of the file at all.
  void add(const InputError& error);

  std::size_t count() const { return count_; }
  // The complaints about the first few of them.
  const std::vector<std::string>& first() const { return first_; }

 private:
  std::size_t tolerated_;
  std::size_t count_ = 0;
  std::vector<std::string> first_;
};

// Ratings in the order of the source, 24 bytes each.
class RatingRows {
 public:
  // A rating of at least `like_from` is a like.
  explicit RatingRows(double like_from) : like_from_(like_from) {}

  // Both throw RatingError, and then have added nothing. They return the number of the item for set_title().
  ItemId add(std::string_view user, std::string_view item, std::string_view rating, std::string_view time);
  ItemId add(std::string_view user, std::string_view item, double rating, Moment time);

  // Throws RatingError for a title that set_title() would not take.
  static void check_title(std::string_view title);
  // The first title of an item that is not empty counts. Throws RatingError.
  void set_title(ItemId item, std::string_view title);
  // The same for an item by its identifier; does nothing for items that nobody has rated.
  void set_title(std::string_view item, std::string_view title);

  std::size_t size() const { return rows_.size(); }

  struct Histories {
    InteractionData data;
    std::size_t likes = 0;
    std::size_t dislikes = 0;
    std::size_t repeated = 0;  // ratings of an item that the user had rated before
  };
  // Every user's ratings ordered by time and, where times are equal, as in the source; of repeated ratings of an item
  // the first counts; split by split_history(). Leaves the rows empty.
  Histories take_histories();

 private:
  struct Row {
    UserId user;
    std::uint32_t item_and_liked;  // the item's number times two, plus one for a like
    Moment time;

    ItemId item() const { return item_and_liked >> 1U; }
    bool liked() const { return (item_and_liked & 1U) != 0; }
  };
  static_assert(sizeof(Row) == 24);

  // The rows of each user together, in the order of the source; user u has those from starts[u] to starts[u + 1].
  struct ByUser {
    std::vector<std::uint32_t> rows;
    std::vector<std::size_t> starts;
  };
  ByUser group_by_user() const;

  double like_from_;
  Vocabulary users_, items_;
  std::vector<std::string> titles_;
  std::vector<Row> rows_;
};

}  // namespace linn
