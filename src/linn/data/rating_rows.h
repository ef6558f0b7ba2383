// What an importer collects from a source: ratings as compact rows, titles, and invalid rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "linn/base/error.h"
#include "linn/data/import.h"
#include "linn/data/interactions.h"
#include "linn/data/moment.h"

namespace linn {

// An error in one field of a rating; the caller, who knows its position, turns it into an InputError.
struct RatingError {
  RatingField field;
  std::string message;
};

// Counts invalid rows, and gives up if there are more than tolerated.
class BadRows {
 public:
  explicit BadRows(std::size_t tolerated) : tolerated_(tolerated) {}

  // Throws the error if there are too many, or if it does not concern a line of the file.
  void add(const InputError& error);

  bool tolerates_none() const { return tolerated_ == 0; }
  std::size_t count() const { return count_; }
  // The messages of the first few.
  const std::vector<std::string>& first() const { return first_; }

 private:
  std::size_t tolerated_;
  std::size_t count_ = 0;
  std::vector<std::string> first_;
};

// Ratings in the order of the source, 24 bytes each.
class RatingRows {
 public:
  // Ratings of at least `like_from` are likes.
  explicit RatingRows(double like_from) : like_from_(like_from) {}

  // Both throw RatingError, in which case nothing has been added. They return the id of the item for set_title().
  // Without a rating, a row is a like.
  ItemId add(std::string_view user, std::string_view item, std::optional<std::string_view> rating,
             std::string_view time);
  ItemId add(std::string_view user, std::string_view item, std::optional<double> rating, Moment time);

  // Throws RatingError for a title that set_title() would reject.
  static void check_title(std::string_view title);
  // The first non-empty title of an item is kept. Throws RatingError.
  void set_title(ItemId item, std::string_view title);
  // The same for an item given by its identifier; does nothing for unrated items.
  void set_title(std::string_view item, std::string_view title);

  // The first non-empty genres of an item, separated by '|', are kept; does nothing for unrated items. Throws
  // RatingError as of the title.
  void set_genres(std::string_view item, std::string_view genres);

  std::size_t size() const { return rows_.size(); }

  // The first few ratings, in the order of the source.
  std::vector<ImportedRating> first() const;

  struct Histories {
    InteractionData data;
    std::size_t likes = 0;
    std::size_t dislikes = 0;
    std::size_t repeated = 0;  // ratings of an item the user had already rated
  };
  // The ratings of every user ordered by time and, for equal times, as in the source; of repeated ratings of an item
  // the first is kept; split by split_history(). Leaves the rows empty.
  Histories take_histories();

 private:
  struct Row {
    UserId user;
    std::uint32_t item_and_liked;  // twice the item id, plus one for a like
    Moment time;

    ItemId item() const { return item_and_liked >> 1U; }
    bool liked() const { return (item_and_liked & 1U) != 0; }
  };
  static_assert(sizeof(Row) == 24);

  // Rows grouped by user, in the order of the source; user u has the rows starts[u] to starts[u + 1] - 1.
  struct ByUser {
    std::vector<std::uint32_t> rows;
    std::vector<std::size_t> starts;
  };
  ByUser group_by_user() const;

  double like_from_;
  Vocabulary users_, items_;
  std::vector<std::string> titles_, genres_;  // by item; may end early
  std::vector<std::optional<double>> first_ratings_;
  std::vector<Row> rows_;
};

}  // namespace linn
