// Imports lines without a header.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "linn/base/utf8.h"
#include "linn/data/import_readers.h"
#include "linn/data/numbers.h"
#include "linn/data/table.h"

namespace linn {
namespace {

constexpr std::size_t kFields = 4;

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t") == std::string_view::npos; }

std::string name_of(std::string_view separator) { return separator == "\t" ? "tabs" : fmt::format("'{}'", separator); }

InputError error_at(const LineReader& lines, std::string_view line, std::size_t column, std::string message) {
  return InputError(std::move(message), Place{lines.path().string(), lines.line_number(), column}, std::string(line));
}

// The field positions of user, item, rating and time.
std::array<std::size_t, kRatingFields> places_of(const RatingLines& format) {
  if (format.item_first) return {1, 0, 2, 3, 0};
  return {0, 1, 2, 3, 0};
}

void read_rating_line(const LineReader& lines, std::string_view line, FieldSplitter& fields, const RatingLines& format,
                      RatingRows& rows) {
  try {
    fields.split(line);
  } catch (const InputError& error) {
    throw error.in_file(lines.path().string(), lines.line_number());
  }
  if (fields.size() != kFields) {
    const std::size_t column = fields.size() > kFields ? fields.column_of(kFields) : count_characters(line) + 1;
    throw error_at(
        lines, line, column,
        fmt::format("expected {} fields separated by {} ({}, rating, time), found {}", kFields,
                    name_of(format.separator), format.item_first ? "item, user" : "user, item", fields.size()));
  }
  const std::array<std::size_t, kRatingFields> places = places_of(format);
  try {
    rows.add(fields[places[0]], fields[places[1]], fields[places[2]], fields[places[3]]);
  } catch (const RatingError& error) {
    throw error_at(lines, line, fields.column_of(places[static_cast<std::size_t>(error.field)]), error.message);
  }
}

// The genres of ML-100k, in the order of their flags; the first stands for an unknown one.
constexpr std::array<std::string_view, 19> kGenres = {"",          "Action",   "Adventure",   "Animation", "Children's",
                                                      "Comedy",    "Crime",    "Documentary", "Drama",     "Fantasy",
                                                      "Film-Noir", "Horror",   "Musical",     "Mystery",   "Romance",
                                                      "Sci-Fi",    "Thriller", "War",         "Western"};

// The genres of the rest of a line, `date|video date|address` and a flag for each genre.
std::string flagged_genres(std::string_view rest) {
  constexpr std::size_t kOtherFields = 3;
  FieldSplitter fields('|');
  fields.split(rest);
  std::string genres;
  for (std::size_t i = 0; i < kGenres.size() && kOtherFields + i < fields.size(); ++i) {
    if (fields[kOtherFields + i] != "1" || kGenres[i].empty()) continue;
    genres += fmt::format("{}{}", genres.empty() ? "" : "|", kGenres[i]);
  }
  return genres;
}

void read_title_line(const LineReader& lines, const std::string& line, std::string_view separator, RatingRows& rows) {
  const std::size_t item_end = line.find(separator);
  if (item_end == std::string::npos) {
    throw error_at(lines, line, count_characters(line) + 1,
                   fmt::format("expected an item and its title separated by {}", name_of(separator)));
  }
  const std::size_t title_start = item_end + separator.size();
  // A title may contain colons, so with "::" the last separator ends it.
  std::size_t title_end = separator == "::" ? line.rfind(separator) : line.find(separator, title_start);
  if (title_end == std::string::npos || title_end < title_start) title_end = line.size();
  const std::string_view text = line;
  try {
    const std::string_view item = text.substr(0, item_end);
    rows.set_title(item, text.substr(title_start, title_end - title_start));
    const std::string_view rest = text.substr(std::min(title_end + separator.size(), text.size()));
    rows.set_genres(item, separator == "|" ? flagged_genres(rest) : std::string(rest));
  } catch (const RatingError& error) {
    throw error_at(lines, line, count_characters(text.substr(0, title_start)) + 1, error.message);
  }
}

}  // namespace

void read_rating_lines(const ImportFile& file, const RatingLines& format, RatingRows& rows, BadRows& bad) {
  LineReader lines = open_lines(file);
  FieldSplitter fields(format.separator);
  std::string_view line;
  while (lines.next(line)) {
    if (is_blank(line)) continue;
    try {
      read_rating_line(lines, line, fields, format, rows);
    } catch (const InputError& error) {
      bad.add(error);
    }
  }
}

std::optional<RatingLines> headerless_amazon_lines(const ImportFile& file) {
  LineReader lines = open_lines(file);
  std::string_view line;
  while (lines.next(line) && is_blank(line)) {
  }
  FieldSplitter fields(',');
  try {
    fields.split(line);
  } catch (const InputError&) {
    return std::nullopt;
  }
  if (fields.size() != kFields || !parse_number(fields[2]) || !parse_moment(fields[3])) return std::nullopt;
  // The 2014 data sets list the user first, those of 2018 the item. Item identifiers have ten characters, user
  // identifiers more.
  constexpr std::size_t kItemLength = 10;
  return RatingLines{",", fields[0].size() == kItemLength && fields[1].size() > kItemLength};
}

void read_title_lines(const ImportFile& file, std::string_view separator, RatingRows& rows, BadRows& bad) {
  LineReader lines = open_lines(file);
  std::string_view line;
  while (lines.next(line)) {
    if (is_blank(line)) continue;
    try {
      read_title_line(lines, utf8_from_latin1(line), separator, rows);
    } catch (const InputError& error) {
      bad.add(error);
    }
  }
}

}  // namespace linn
