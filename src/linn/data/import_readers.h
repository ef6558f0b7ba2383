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
  bool need_time = true;

  std::vector<std::string_view>& operator[](RatingField field) { return names[static_cast<std::size_t>(field)]; }
  const std::vector<std::string_view>& operator[](RatingField field) const {
    return names[static_cast<std::size_t>(field)];
  }
};

// Reads a table with a header. A column with a RecBole type (`user_id:token`) is found by its name alone. Returns false
// if there are no timestamps, so that the order of the file is used.
bool read_rating_table(const ImportFile& file, const RatingColumns& columns, RatingRows& rows, BadRows& bad);
// Reads a table of items.
void read_title_table(const ImportFile& file, const RatingColumns& columns, RatingRows& rows, BadRows& bad);

// Lines without a header: user, item, rating, time, in this order or with the item first.
struct RatingLines {
  std::string_view separator;
  bool item_first = false;
};
void read_rating_lines(const ImportFile& file, const RatingLines& format, RatingRows& rows, BadRows& bad);
// The layout of a comma-separated file without a header; nothing if it has one.
std::optional<RatingLines> headerless_amazon_lines(const ImportFile& file);
// Reads lines of `item, separator, title, separator, ...`, in Latin-1 or UTF-8.
void read_title_lines(const ImportFile& file, std::string_view separator, RatingRows& rows, BadRows& bad);

// Reads one JSON object per line, with reviewerID, asin, overall and unixReviewTime.
void read_amazon_reviews(const ImportFile& file, RatingRows& rows, BadRows& bad);

LineReader open_lines(const ImportFile& file);
TableReader open_table(const ImportFile& file);

}  // namespace linn
