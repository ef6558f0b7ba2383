// Imports tables with a header.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "linn/data/import_readers.h"
#include "linn/data/table.h"

namespace linn {
namespace {

// What MovieLens writes for an item without genres.
constexpr std::string_view kNoGenres = "(no genres listed)";

// The name of a column without the type that RecBole appends.
std::string_view untyped(std::string_view name) {
  for (const std::string_view type : {":token_seq", ":token", ":float_seq", ":float"}) {
    if (name.ends_with(type)) return name.substr(0, name.size() - type.size());
  }
  return name;
}

std::optional<std::size_t> find_column(const TableReader& table, std::span<const std::string_view> names) {
  if (const std::optional<std::size_t> found = table.find_column(names)) return found;
  for (const std::string_view name : names) {
    for (const std::string& column : table.header()) {
      if (untyped(column) == name) return table.find_column({column});
    }
  }
  return std::nullopt;
}

// The length of the longest common subsequence, regardless of case.
std::size_t common_letters(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  std::vector<std::size_t> row(b.size() + 1);  // of the beginning of a, with each beginning of b
  for (const char letter : a) {
    std::size_t diagonal = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = lower(letter) == lower(b[j]) ? diagonal + 1 : std::max(above, row[j]);
      diagonal = above;
    }
  }
  return row.back();
}

// Words for what a column holds, which headers are compared with. They are no names that are read without being given.
std::vector<std::string_view> words_for(RatingField field) {
  switch (field) {
    case RatingField::kUser:
      return {"user", "customer", "client", "member", "account", "person", "visitor", "reader", "who"};
    case RatingField::kItem:
      return {"item", "product", "article", "movie", "film", "book", "song", "track", "sku", "what"};
    case RatingField::kRating:
      return {"rating", "score", "stars", "grade", "vote", "value", "label"};
    case RatingField::kTime:
      return {"time", "date", "when", "created", "at"};
    case RatingField::kTitle:
      return {"title", "name", "description"};
  }
  return {};
}

// The column that resembles the names or words for the field most, of those that no other field has.
std::string nearest_column(const TableReader& table, const RatingColumns& columns, RatingField field) {
  std::vector<bool> taken(table.header().size());
  for (std::size_t other = 0; other < kRatingFields; ++other) {
    if (other == static_cast<std::size_t>(field)) continue;
    if (const std::optional<std::size_t> found = find_column(table, columns.names[other])) taken[*found] = true;
  }
  std::vector<std::string_view> names = words_for(field);
  names.insert(names.end(), columns[field].begin(), columns[field].end());
  std::string nearest;
  double best = 0.0;
  constexpr std::size_t kLongest = 100;  // characters of a header
  for (std::size_t i = 0; i < table.header().size(); ++i) {
    const std::string_view header = untyped(table.header()[i]);
    if (taken[i] || header.size() > kLongest) continue;
    for (const std::string_view name : names) {
      if (name.size() > kLongest) continue;
      const double likeness =
          2.0 * static_cast<double>(common_letters(header, name)) / static_cast<double>(header.size() + name.size());
      if (likeness > best) {
        best = likeness;
        nearest = table.header()[i];
      }
    }
  }
  return nearest;
}

std::size_t need_column(const TableReader& table, const RatingColumns& columns, RatingField field) {
  const std::span<const std::string_view> names = columns[field];
  if (const std::optional<std::size_t> found = find_column(table, names)) return *found;
  try {
    return table.column(names);
  } catch (const InputError& error) {
    throw MissingColumn(error, field, nearest_column(table, columns, field));
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

bool read_rating_table(const ImportFile& file, const RatingColumns& columns, RatingRows& rows, BadRows& bad) {
  using enum RatingField;
  TableReader table = open_table(file);
  const std::size_t user = need_column(table, columns, kUser);
  const std::size_t item = need_column(table, columns, kItem);
  const std::size_t rating = need_column(table, columns, kRating);
  const std::optional<std::size_t> time =
      columns.need_time ? need_column(table, columns, kTime) : find_column(table, columns[kTime]);
  std::optional<std::size_t> title;
  if (!columns[kTitle].empty()) title = need_column(table, columns, kTitle);

  const std::array<std::size_t, kRatingFields> places = {user, item, rating, time.value_or(0), title.value_or(0)};
  while (next_row(table, bad)) {
    try {
      if (title) RatingRows::check_title(table.field(*title));
      const ItemId added = rows.add(table.field(user), table.field(item), table.field(rating),
                                    time ? table.field(*time) : std::string_view("0"));
      if (title) rows.set_title(added, table.field(*title));
    } catch (const RatingError& error) {
      bad.add(table.error(places[static_cast<std::size_t>(error.field)], error.message));
    }
  }
  return time.has_value();
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
      if (title) rows.set_title(table.field(item), table.field(column = *title));
      if (genres && table.field(*genres) != kNoGenres) {
        rows.set_genres(table.field(item), table.field(column = *genres));
      }
    } catch (const RatingError& error) {
      bad.add(table.error(column, error.message));
    }
  }
}

}  // namespace linn
