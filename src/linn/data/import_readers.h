// The readers behind import_interactions(), one per file layout.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "linn/data/import.h"
#include "linn/data/rating_rows.h"

namespace linn {

// Possible column names, by RatingField; the first one present is used.
struct RatingColumns {
  std::array<std::vector<std::string_view>, kRatingFields> names;
  std::string_view genres;  // the column of the items' genres; empty: none
  bool need_time = true;
  bool need_rating = true;  // otherwise every row is a like
  bool need_title = false;  // of a table of items

  std::vector<std::string_view>& operator[](RatingField field) { return names[static_cast<std::size_t>(field)]; }
  const std::vector<std::string_view>& operator[](RatingField field) const {
    return names[static_cast<std::size_t>(field)];
  }
};

// Reads a table with a header. A column with a RecBole type (`user_id:token`) is found by its name alone. If there are
// no times, so that the order of the file counts, returns the column that may hold them, or an empty name.
std::optional<std::string> read_rating_table(const ImportFile& file, const RatingColumns& columns, RatingRows& rows,
                                             BadRows& bad);
// Reads a table of items: titles and, if there is such a column, genres.
void read_title_table(const ImportFile& file, const RatingColumns& columns, RatingRows& rows, BadRows& bad);

// Lines without a header: user, item, rating, time, in this order or with the item first.
struct RatingLines {
  std::string_view separator;
  bool item_first = false;
};
void read_rating_lines(const ImportFile& file, const RatingLines& format, RatingRows& rows, BadRows& bad);
// The layout of a comma-separated file without a header; nothing if it has one.
std::optional<RatingLines> headerless_amazon_lines(const ImportFile& file);
// Reads MovieLens' lines of items, in Latin-1 or UTF-8: `item::title::genres` or `item|title|...|` and a flag for each
// genre.
void read_title_lines(const ImportFile& file, std::string_view separator, RatingRows& rows, BadRows& bad);

// Reads one JSON object per line, with keys for user, item, rating, time and, if it is not empty, title.
using ReviewKeys = std::array<std::string, kRatingFields>;
void read_amazon_reviews(const ImportFile& file, const ReviewKeys& keys, RatingRows& rows, BadRows& bad);

LineReader open_lines(const ImportFile& file);
TableReader open_table(const ImportFile& file);

}  // namespace linn
