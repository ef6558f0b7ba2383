// Imports tables with a header.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "linn/data/import_readers.h"
#include "linn/data/nearest_column.h"
#include "linn/data/table.h"

namespace linn {
namespace {

// What MovieLens writes for an item without genres.
constexpr std::string_view kNoGenres = "(no genres listed)";

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

// A name as it is written, without the type that RecBole appends, and in any case, without the spaces that some write
// after each comma, in this order.
std::optional<std::size_t> find_column(const TableReader& table, std::span<const std::string_view> names) {
  if (const std::optional<std::size_t> found = table.find_column(names)) return found;
  for (const std::string_view name : names) {
    for (const std::string& column : table.header()) {
      if (untyped(column) == name) return table.find_column({column});
    }
  }
  for (const std::string_view name : names) {
    for (const std::string& column : table.header()) {
      if (lower_case(trim(untyped(column))) == lower_case(name)) return table.find_column({column});
    }
  }
  return std::nullopt;
}

// The column that is most likely meant for the field, of those that no other field has.
std::string likely_column(const TableReader& table, const RatingColumns& columns, RatingField field) {
  std::vector<bool> taken(table.header().size());
  for (std::size_t other = 0; other < kRatingFields; ++other) {
    if (other == static_cast<std::size_t>(field)) continue;
    if (const std::optional<std::size_t> found = find_column(table, columns.names[other])) taken[*found] = true;
  }
  return nearest_column(table.header(), taken, field, columns[field]);
}

std::size_t need_column(const TableReader& table, const RatingColumns& columns, RatingField field) {
  const std::span<const std::string_view> names = columns[field];
  if (const std::optional<std::size_t> found = find_column(table, names)) return *found;
  try {
    return table.column(names);
  } catch (const InputError& error) {
    if (table.header().size() == 1 && table.header()[0].find('|') != std::string::npos) {
      throw error.with_message("the columns are separated by '|'; expected tabs, commas or semicolons");
    }
    throw MissingColumn(error, field, likely_column(table, columns, field));
  }
}

// Advances to the next row with the right number of fields.
bool next_row(TableReader& table, BadRows& bad) {
  while (true) {
    try {
      return table.next();
    } catch (const InputError& error) {
      bad.add(error);
    }
  }
}

}  // namespace

std::optional<std::string> read_rating_table(const ImportFile& file, const RatingColumns& columns, RatingRows& rows,
                                             BadRows& bad) {
  using enum RatingField;
  TableReader table = open_table(file);
  const std::size_t user = need_column(table, columns, kUser);
  const std::size_t item = need_column(table, columns, kItem);
  std::optional<std::size_t> rating;
  if (columns.need_rating) rating = need_column(table, columns, kRating);
  const std::optional<std::size_t> time =
      columns.need_time ? need_column(table, columns, kTime) : find_column(table, columns[kTime]);
  std::optional<std::size_t> title;
  if (!columns[kTitle].empty()) title = need_column(table, columns, kTitle);

  const std::array<std::size_t, kRatingFields> places = {user, item, rating.value_or(0), time.value_or(0),
                                                         title.value_or(0)};
  while (next_row(table, bad)) {
    try {
      if (title) RatingRows::check_title(table.field(*title));
      const ItemId added = rows.add(trim(table.field(user)), trim(table.field(item)),
                                    rating ? std::optional(trim(table.field(*rating))) : std::nullopt,
                                    time ? trim(table.field(*time)) : std::string_view("0"));
      if (title) rows.set_title(added, table.field(*title));
    } catch (const RatingError& error) {
      bad.add(table.error(places[static_cast<std::size_t>(error.field)], error.message));
    }
  }
  if (time) return std::nullopt;
  return likely_column(table, columns, kTime);
}

void read_title_table(const ImportFile& file, const RatingColumns& columns, RatingRows& rows, BadRows& bad) {
  TableReader table = open_table(file);
  const std::size_t item = need_column(table, columns, RatingField::kItem);
  // A file of items need not have titles.
  const std::optional<std::size_t> title = columns.need_title ? need_column(table, columns, RatingField::kTitle)
                                                              : find_column(table, columns[RatingField::kTitle]);
  std::optional<std::size_t> genres;
  if (!columns.genres.empty()) genres = table.find_column({columns.genres});
  if (!title && !genres) return;
  while (next_row(table, bad)) {
    std::size_t column = 0;
    try {
      if (title) rows.set_title(trim(table.field(item)), table.field(column = *title));
      if (genres && table.field(*genres) != kNoGenres) {
        rows.set_genres(trim(table.field(item)), table.field(column = *genres));
      }
    } catch (const RatingError& error) {
      bad.add(table.error(column, error.message));
    }
  }
}

}  // namespace linn
