// The readers behind import_interactions(), one for each way in which ratings are written down.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "linn/data/import.h"
#include "linn/data/rating_rows.h"

namespace linn {

// Names that a column may have, by RatingField; the first that is there counts.
struct RatingColumns {
  std::array<std::vector<std::string_view>, kRatingFields> names;
  bool need_time = true;

  std::vector<std::string_view>& operator[](RatingField field) { return names[static_cast<std::size_t>(field)]; }
  const std::vector<std::string_view>& operator[](RatingField field) const {
    return names[static_cast<std::size_t>(field)];
  }
};

// A table with a header. A column that is typed as in RecBole (`user_id:token`) is found by its name alone. Returns
// false if there is no time, so that the order of the file is all there is.
bool read_rating_table(const ImportFile& file, const RatingColumns& columns, RatingRows& rows, BadRows& bad);
// A table of items.
void read_title_table(const ImportFile& file, const RatingColumns& columns, RatingRows& rows, BadRows& bad);

// Lines without a header: user, item, rating, time, in this order or with the item first.
struct RatingLines {
  std::string_view separator;
  bool item_first = false;
};
void read_rating_lines(const ImportFile& file, const RatingLines& format, RatingRows& rows, BadRows& bad);
// How a comma-separated file without a header is to be read; nothing if it has one.
std::optional<RatingLines> headerless_amazon_lines(const ImportFile& file);
// Lines of `item, separator, title, separator, more`, in Latin-1 or UTF-8.
void read_title_lines(const ImportFile& file, std::string_view separator, RatingRows& rows, BadRows& bad);

// A JSON object a line, with reviewerID, asin, overall and unixReviewTime.
void read_amazon_reviews(const ImportFile& file, RatingRows& rows, BadRows& bad);

LineReader open_lines(const ImportFile& file);
TableReader open_table(const ImportFile& file);

}  // namespace linn
