// Ratings of other programs' formats as likes and dislikes, in order and split.
//
//   const ImportFiles files = find_import_files(ImportFormat::kMovielens100k, "ml-100k");
//   const ImportResult result = import_interactions(ImportFormat::kMovielens100k, files, {});
//   write_interaction_folder("data", result.data);
//
// Sources are read as a stream; a rating takes some 30 bytes while they are read, and as many again when they are
// split.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "linn/data/interactions.h"

namespace linn {

enum class ImportFormat : std::uint8_t {
  kMovielens100k,  // u.data, and titles in u.item
  kMovielens1m,    // ratings.dat, and titles in movies.dat
  kMovielensCsv,   // ratings.csv, and titles in movies.csv: 20M and later
  kAmazonJson,     // a review a line
  kAmazonCsv,      // with a header, or without one
  kRecbole,        // NAME.inter, and titles in NAME.item
  kCsv,            // columns by name
};

struct ImportOptions {
  // A rating of at least so much is a like, any other a dislike.
  double like_from = 4;
  // So many broken rows are left out; one more is an error.
  std::size_t skip_bad = 0;
  // Names of columns, for kCsv. Without one the usual names are looked for, but for titles, which then are not read.
  std::string user_column, item_column, rating_column, time_column, title_column;
};

// A file, or a text in memory that the path only names in errors.
struct ImportFile {
  std::filesystem::path path;
  std::optional<std::string_view> text;
};

struct ImportFiles {
  ImportFile ratings;
  std::optional<ImportFile> titles;
};

// The files of a source: a folder, or the file of ratings itself. Throws InputError if there are none.
ImportFiles find_import_files(ImportFormat format, const std::filesystem::path& source);

struct ImportResult {
  InteractionData data;
  std::size_t likes = 0;
  std::size_t dislikes = 0;
  std::size_t repeated = 0;          // ratings of an item that the user had rated before; they are left out
  std::size_t skipped = 0;           // broken rows
  std::vector<std::string> remarks;  // the first few complaints about broken rows, and what else is worth saying
};

// Throws InputError naming file and line of the first broken row that is not tolerated.
ImportResult import_interactions(ImportFormat format, const ImportFiles& files, const ImportOptions& options);

}  // namespace linn
