#include "linn/data/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "linn/base/error.h"
#include "linn/data/import_readers.h"
#include "linn/data/rating_rows.h"

namespace linn {
namespace {

namespace fs = std::filesystem;

// The file names of a format: either both full names, or only the extensions of the ratings, with a file of titles that
// differs only in its extension.
struct FileNames {
  std::string_view ratings, titles;
  std::vector<std::string_view> ratings_endings;
  std::string_view titles_ending;
};

FileNames file_names(ImportFormat format) {
  switch (format) {
    case ImportFormat::kMovielens100k:
      return {"u.data", "u.item", {}, {}};
    case ImportFormat::kMovielens1m:
      return {"ratings.dat", "movies.dat", {}, {}};
    case ImportFormat::kMovielensCsv:
      return {"ratings.csv", "movies.csv", {}, {}};
    case ImportFormat::kAmazonJson:
      return {{}, {}, {".json", ".jsonl"}, {}};
    case ImportFormat::kAmazonCsv:
      return {{}, {}, {".csv"}, {}};
    case ImportFormat::kRecbole:
      return {{}, {}, {".inter"}, ".item"};
    case ImportFormat::kCsv:
      return {{}, {}, {".csv", ".tsv"}, {}};
  }
  return {};
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_directory(path, ignored);
}

// The file, or the same name with .gz appended; empty if neither exists.
fs::path plain_or_compressed(const fs::path& path) {
  if (is_file(path)) return path;
  fs::path compressed = path;
  compressed += ".gz";
  return is_file(compressed) ? compressed : fs::path();
}

fs::path without_gz(fs::path path) {
  if (path.extension() == ".gz") path.replace_extension();
  return path;
}

// The only file in the folder with one of the extensions.
fs::path only_file(const fs::path& folder, const std::vector<std::string_view>& endings) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string ending = without_gz(entry->path()).extension().string();
    if (std::find(endings.begin(), endings.end(), ending) != endings.end() && is_file(entry->path())) {
      found.push_back(entry->path());
    }
  }
  if (error) throw InputError(fmt::format("cannot be read: {}", error.message()), Place{folder.string(), 0, 0});
  if (found.size() == 1) return found.front();
  throw InputError(
      fmt::format("expected one file *{} (optionally .gz) in the folder, found {}; give the path of the file",
                  fmt::join(endings, " or *"), found.empty() ? "none" : "several"),
      Place{folder.string(), 0, 0});
}

fs::path find_ratings(const FileNames& names, const fs::path& source) {
  std::error_code error;
  const fs::file_status status = fs::status(source, error);
  if (!fs::exists(status)) {
    const std::string why = error ? error.message() : "No such file or directory";
    throw InputError(fmt::format("cannot be read: {}", why), Place{source.string(), 0, 0});
  }
  if (!fs::is_directory(status)) return source;
  if (names.ratings.empty()) return only_file(source, names.ratings_endings);
  fs::path path = plain_or_compressed(source / names.ratings);
  if (path.empty()) {
    throw InputError(fmt::format("the folder contains no {}", names.ratings), Place{source.string(), 0, 0});
  }
  return path;
}

// Whether titles stand in a file of items rather than beside the ratings.
bool has_file_of_items(ImportFormat format) {
  return format == ImportFormat::kMovielensCsv || format == ImportFormat::kRecbole;
}

// Common column names, or those that were given.
RatingColumns columns_of(const ImportOptions& options) {
  using enum RatingField;
  RatingColumns columns;
  columns.names = {{{"user", "uid", "user_id", "userId", "userID", "reviewerID"},
                    {"item", "iid", "item_id", "itemId", "itemID", "movieId", "asin", "parent_asin"},
                    {"rating", "overall", "stars"},
                    {"time", "timestamp", "unixReviewTime"},
                    {"title", "movie_title", "item_title", "item_name", "name"}}};
  const auto choose = [&](RatingField field, const std::string& name) {
    if (!name.empty()) columns[field] = {name};
  };
  choose(kUser, options.user_column);
  choose(kItem, options.item_column);
  choose(kRating, options.rating_column);
  choose(kTime, options.time_column);
  choose(kTitle, options.title_column);
  return columns;
}

// The columns of a table of ratings.
RatingColumns rating_columns(ImportFormat format, const ImportOptions& options) {
  RatingColumns columns = columns_of(options);
  // A title column that nobody asked for may hold the title of the review.
  if (has_file_of_items(format) || options.title_column.empty()) columns[RatingField::kTitle].clear();
  columns.need_rating = options.rated;
  columns.need_time =
      format == ImportFormat::kMovielensCsv || format == ImportFormat::kAmazonCsv || !options.time_column.empty();
  return columns;
}

// The columns of a table of items.
RatingColumns item_columns(ImportFormat format, const ImportOptions& options) {
  RatingColumns columns = columns_of(options);
  // The column of items may have another name than in the table of ratings.
  std::vector<std::string_view> common = columns_of({})[RatingField::kItem];
  if (!options.item_column.empty()) common.insert(common.begin(), options.item_column);
  columns[RatingField::kItem] = std::move(common);
  columns.need_title = !options.title_column.empty();
  if (format == ImportFormat::kMovielensCsv) columns.genres = "genres";
  return columns;
}

ReviewKeys review_keys(const ImportOptions& options) {
  const auto chosen = [](const std::string& given, const char* usual) { return given.empty() ? usual : given; };
  return {chosen(options.user_column, "reviewerID"), chosen(options.item_column, "asin"),
          chosen(options.rating_column, "overall"), chosen(options.time_column, "unixReviewTime"),
          options.title_column};
}

// For a file without a header.
void refuse_column_names(const ImportFile& file, const ImportOptions& options) {
  if (!options.names_columns()) return;
  throw InputError("the file has no header, so its columns have no names", Place{file.path.string(), 0, 0});
}

// As read_rating_table().
std::optional<std::string> read_ratings(ImportFormat format, const ImportFile& file, const ImportOptions& options,
                                        RatingRows& rows, BadRows& bad) {
  switch (format) {
    case ImportFormat::kMovielens100k:
    case ImportFormat::kMovielens1m:
      refuse_column_names(file, options);
      read_rating_lines(file, {format == ImportFormat::kMovielens1m ? "::" : "\t"}, rows, bad);
      return std::nullopt;
    case ImportFormat::kAmazonJson:
      read_amazon_reviews(file, review_keys(options), rows, bad);
      return std::nullopt;
    case ImportFormat::kAmazonCsv:
      if (const std::optional<RatingLines> lines = headerless_amazon_lines(file)) {
        refuse_column_names(file, options);
        read_rating_lines(file, *lines, rows, bad);
        return std::nullopt;
      }
      break;
    case ImportFormat::kMovielensCsv:
    case ImportFormat::kRecbole:
    case ImportFormat::kCsv:
      break;
  }
  return read_rating_table(file, rating_columns(format, options), rows, bad);
}

void read_titles(ImportFormat format, const ImportFile& file, const ImportOptions& options, RatingRows& rows,
                 BadRows& bad) {
  if (format == ImportFormat::kMovielens100k) {
    read_title_lines(file, "|", rows, bad);
  } else if (format == ImportFormat::kMovielens1m) {
    read_title_lines(file, "::", rows, bad);
  } else {
    read_title_table(file, item_columns(format, options), rows, bad);
  }
}

}  // namespace

LineReader open_lines(const ImportFile& file) {
  return file.text ? LineReader(*file.text, file.path) : LineReader(file.path);
}

TableReader open_table(const ImportFile& file) {
  return file.text ? TableReader(*file.text, file.path) : TableReader(file.path);
}

ImportFiles find_import_files(ImportFormat format, const fs::path& source) {
  const FileNames names = file_names(format);
  ImportFiles files;
  files.ratings.path = find_ratings(names, source);
  fs::path titles;
  if (!names.titles.empty()) {
    titles = plain_or_compressed(files.ratings.path.parent_path() / names.titles);
  } else if (!names.titles_ending.empty()) {
    titles = plain_or_compressed(without_gz(files.ratings.path).replace_extension(names.titles_ending));
  }
  // A ratings file with an unusual name might be the file of titles itself.
  if (!titles.empty() && titles != files.ratings.path) files.titles = ImportFile{std::move(titles), std::nullopt};
  return files;
}

ImportResult import_interactions(ImportFormat format, const ImportFiles& files, const ImportOptions& options) {
  RatingRows rows(options.like_from);
  BadRows bad(options.skip_bad);
  ImportResult result;
  const std::optional<std::string> likely_times = read_ratings(format, files.ratings, options, rows, bad);
  result.has_times = !likely_times;
  result.likely_times = likely_times.value_or("");
  if (files.titles) {
    read_titles(format, *files.titles, options, rows, bad);
  } else if (has_file_of_items(format) && !options.title_column.empty()) {
    throw InputError(fmt::format("there is no file of items with the titles '{}'", options.title_column),
                     Place{files.ratings.path.string(), 0, 0});
  }
  if (rows.size() == 0) {
    throw InputError("the file contains no ratings", Place{files.ratings.path.string(), 0, 0});
  }
  result.first = rows.first();
  RatingRows::Histories histories = rows.take_histories();
  result.data = std::move(histories.data);
  result.likes = histories.likes;
  result.dislikes = histories.dislikes;
  result.repeated = histories.repeated;
  result.skipped = bad.count();
  for (const std::string& message : bad.first()) result.remarks.push_back(fmt::format("skipped {}", message));
  return result;
}

}  // namespace linn
