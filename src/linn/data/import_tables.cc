// Imports tables with a header.

#include <algorithm>
#include <array>
#include <optional>

#include "linn/data/import_readers.h"
#include "linn/data/table.h"

namespace linn {
namespace {

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

std::size_t need_column(const TableReader& table, std::span<const std::string_view> names) {
  const std::optional<std::size_t> found = find_column(table, names);
  return found ? *found : table.column(names);  // throws
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
  const std::size_t user = need_column(table, columns[kUser]);
  const std::size_t item = need_column(table, columns[kItem]);
  const std::size_t rating = need_column(table, columns[kRating]);
  const std::optional<std::size_t> time =
      columns.need_time ? need_column(table, columns[kTime]) : find_column(table, columns[kTime]);
  std::optional<std::size_t> title;
  if (!columns[kTitle].empty()) title = need_column(table, columns[kTitle]);

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
  const std::size_t item = need_column(table, columns[RatingField::kItem]);
  // A file of items need not have titles.
  const std::optional<std::size_t> title = find_column(table, columns[RatingField::kTitle]);
  if (!title) return;
  while (next_row(table, bad)) {
    try {
      rows.set_title(table.field(item), table.field(*title));
    } catch (const RatingError& error) {
      bad.add(table.error(*title, error.message));
    }
  }
}

}  // namespace linn
