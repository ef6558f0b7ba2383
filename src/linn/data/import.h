// Imports ratings in common formats as likes and dislikes, ordered and split.
//
//   const ImportFiles files = find_import_files(ImportFormat::kMovielens100k, "ml-100k");
//   const ImportResult result = import_interactions(ImportFormat::kMovielens100k, files, {});
//   write_interaction_folder("data", result.data);
//
// Sources are streamed; a rating takes about 30 bytes while reading, and as much again while splitting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linn/base/error.h"
#include "linn/data/interactions.h"
#include "linn/data/moment.h"

namespace linn {

enum class ImportFormat : std::uint8_t {
  kMovielens100k,  // u.data, with titles in u.item
  kMovielens1m,    // ratings.dat, with titles in movies.dat
  kMovielensCsv,   // ratings.csv, with titles in movies.csv: 20M and later
  kAmazonJson,     // one review per line
  kAmazonCsv,      // with or without a header
  kRecbole,        // NAME.inter, with titles in NAME.item
  kCsv,            // columns found by name
};

struct ImportOptions {
  // Ratings of at least this value are likes; all others are dislikes.
  double like_from = 4;
  // Whether there are ratings; otherwise every row of a table with a header is a like.
  bool rated = true;
  // The number of invalid rows to skip; one more is an error.
  std::size_t skip_bad = 0;
  // Column names, for formats with a header, and keys of kAmazonJson. Unset ones are searched for by their common
  // names; titles in the table of ratings itself (of kCsv, kAmazonCsv and kAmazonJson) are only read if named.
  std::string user_column, item_column, rating_column, time_column, title_column;

  bool names_columns() const {
    return !(user_column + item_column + rating_column + time_column + title_column).empty();
  }
};

enum class RatingField : std::uint8_t { kUser, kItem, kRating, kTime, kTitle };
inline constexpr std::size_t kRatingFields = 5;

// The header has no such column, or a review no such key.
class MissingColumn : public InputError {
 public:
  MissingColumn(const InputError& error, RatingField field, std::string nearest)
      : InputError(error), field_(field), nearest_(std::move(nearest)) {}

  RatingField field() const { return field_; }
  // The column that is most likely meant; empty if every column has another meaning.
  const std::string& nearest() const { return nearest_; }

 private:
  RatingField field_;
  std::string nearest_;
};

// A file, or text in memory, for which the path is used in error messages only.
struct ImportFile {
  std::filesystem::path path;
  std::optional<std::string_view> text;
};

struct ImportFiles {
  ImportFile ratings;
  std::optional<ImportFile> titles;
};

// Finds the files of a source, which is a folder or the ratings file itself. Throws InputError if there are none.
ImportFiles find_import_files(ImportFormat format, const std::filesystem::path& source);

// A rating as it was understood.
struct ImportedRating {
  std::string user, item;
  std::optional<double> rating;
  bool liked = false;
  Moment time;
  std::string title;
};

struct ImportResult {
  InteractionData data;
  std::vector<ImportedRating> first;  // the first few ratings, in the order of the source
  bool has_times = true;              // otherwise the order of the source counts
  std::string likely_times;           // the column that holds the times, by its name, if they were not found
  std::size_t likes = 0;
  std::size_t dislikes = 0;
  std::size_t repeated = 0;          // ratings of an item the user had already rated; they are dropped
  std::size_t skipped = 0;           // invalid rows
  std::vector<std::string> remarks;  // the errors of the first few invalid rows, and other remarks for the user
};

// Throws InputError with file and line of the first invalid row beyond the tolerated number.
ImportResult import_interactions(ImportFormat format, const ImportFiles& files, const ImportOptions& options);

}  // namespace linn
