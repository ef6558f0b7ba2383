#include "linn/data/interactions.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/base/utf8.h"
#include "linn/data/moment.h"

namespace linn {
namespace {

namespace fs = std::filesystem;

// The number of characters of an invalid field shown in errors.
constexpr std::size_t kShown = 40;

bool parse_liked(const TableReader& table, std::size_t column) {
  const std::string_view text = table.field(column);
  if (text == "1") return true;
  if (text == "0") return false;
  throw table.error(
      column, fmt::format("expected 1 for a like or 0 for a dislike as label, found '{}'", printable(text, kShown)));
}

std::int64_t parse_time(const TableReader& table, std::size_t column) {
  const std::optional<Moment> moment = parse_moment(table.field(column));
  if (moment) return moment->whole;
  throw table.error(
      column, fmt::format("expected {} as time, found '{}'", kMomentForms, printable(table.field(column), kShown)));
}

std::uint32_t intern_field(Vocabulary& names, const TableReader& table, std::size_t column, std::string_view as) {
  try {
    return intern_identifier(names, table.field(column), as);
  } catch (const InputError& error) {
    throw table.error(column, error.message());
  }
}

void read_part(const fs::path& path, InteractionData& data, std::vector<Interaction>& part) {
  if (path.empty()) return;
  TableReader table(path);
  read_interactions(table, data, part);
}

void write_part(FileWriter& file, const InteractionData& data, const std::vector<Interaction>& part) {
  file.write("user\titem\tlabel\ttime\n");
  fmt::memory_buffer line;
  for (const Interaction& row : part) {
    line.clear();
    fmt::format_to(std::back_inserter(line), "{}\t{}\t{}\t{}\n", data.users.name(row.user), data.items.name(row.item),
                   row.liked ? 1 : 0, row.time);
    file.write({line.data(), line.size()});
  }
}

void write_items(FileWriter& file, const InteractionData& data) {
  std::string line = "item\ttitle";
  for (const CategoryColumn& column : data.categories) line += "\t" + column.name;
  file.write(line + "\n");
  for (ItemId item = 0; item < data.items.size(); ++item) {
    const std::string_view title = item < data.titles.size() ? std::string_view(data.titles[item]) : "";
    line = fmt::format("{}\t{}", data.items.name(item), title);
    for (const CategoryColumn& column : data.categories) line += "\t" + column.values[item];
    file.write(line + "\n");
  }
}

bool has_items_without_interactions(const InteractionData& data) {
  std::vector<bool> met(data.items.size());
  for (const auto* part : {&data.train, &data.validation, &data.test}) {
    for (const Interaction& row : *part) met[row.item] = true;
  }
  return std::find(met.begin(), met.end(), false) != met.end();
}

}  // namespace

std::uint32_t intern_identifier(Vocabulary& names, std::string_view name, std::string_view as) {
  try {
    return names.intern(name);
  } catch (const InputError&) {
    if (name.empty()) throw InputError(fmt::format("expected an identifier as {}, found nothing", as));
    throw InputError(fmt::format("expected an identifier of valid UTF-8 without control characters as {}, found '{}'",
                                 as, printable(name, kShown)));
  }
}

std::string clean_field(std::string_view text, std::string_view as) {
  if (!is_valid_utf8(text)) {
    throw InputError(fmt::format("expected valid UTF-8 as {}, found '{}'", as, printable(text, kShown)));
  }
  std::string clean(text);
  for (char& c : clean) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return clean;
}

std::string clean_title(std::string_view title) { return clean_field(title, "title"); }

void read_interactions(TableReader& table, InteractionData& data, std::vector<Interaction>& part) {
  const std::size_t user = table.column({"user", "uid"});
  const std::size_t item = table.column({"item", "iid"});
  const std::size_t label = table.column({"label"});
  const std::optional<std::size_t> time = table.find_column({"time"});
  while (table.next()) {
    Interaction row;
    row.liked = parse_liked(table, label);
    if (time) row.time = parse_time(table, *time);
    row.user = intern_field(data.users, table, user, "user");
    row.item = intern_field(data.items, table, item, "item");
    part.push_back(row);
  }
}

void read_items(TableReader& table, InteractionData& data) {
  const std::size_t item_column = table.column({"item", "iid"});
  const std::optional<std::size_t> title_column = table.find_column({"title", "name"});
  std::vector<std::size_t> category_columns;
  for (std::size_t column = 0; column < table.header().size(); ++column) {
    if (column == item_column || column == title_column) continue;
    category_columns.push_back(column);
    data.categories.push_back({clean_field(table.header()[column], "name of a column"), {}});
  }
  std::vector<bool> seen(data.items.size());
  std::vector<std::string> titles(data.items.size());
  for (CategoryColumn& column : data.categories) column.values.resize(data.items.size());
  while (table.next()) {
    const ItemId item = intern_field(data.items, table, item_column, "item");
    if (item >= seen.size()) {
      seen.resize(item + 1);
      titles.resize(item + 1);
      for (CategoryColumn& column : data.categories) column.values.resize(item + 1);
    }
    if (seen[item]) {
      throw table.error(item_column, fmt::format("duplicate item '{}'", data.items.name(item)));
    }
    seen[item] = true;
    const auto clean = [&](std::size_t column, std::string_view as) {
      try {
        return clean_field(table.field(column), as);
      } catch (const InputError& error) {
        throw table.error(column, error.message());
      }
    };
    if (title_column) titles[item] = clean(*title_column, "title");
    for (std::size_t i = 0; i < category_columns.size(); ++i) {
      data.categories[i].values[item] = clean(category_columns[i], "categories");
    }
  }
  const bool any = std::any_of(titles.begin(), titles.end(), [](const std::string& title) { return !title.empty(); });
  data.titles = any ? std::move(titles) : std::vector<std::string>();
}

InteractionData read_interaction_folder(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    throw InputError("no such folder; expected one with train.tsv or train.csv (optionally .gz)",
                     Place{folder.string(), 0, 0});
  }
  const fs::path train = find_table(folder, {"train"});
  const fs::path validation = find_table(folder, {"validation"});
  const fs::path test = find_table(folder, {"test"});
  const fs::path items = find_table(folder, {"items", "item"});
  if (train.empty()) {
    throw InputError("no training data: expected train.tsv or train.csv (optionally .gz) in the folder",
                     Place{folder.string(), 0, 0});
  }
  InteractionData data;
  read_part(train, data, data.train);
  if (data.train.empty()) throw InputError("the file contains no interactions", Place{train.string(), 0, 0});
  read_part(validation, data, data.validation);
  read_part(test, data, data.test);
  if (!items.empty()) {
    TableReader table(items);
    read_items(table, data);
  }
  return data;
}

void write_interactions(FileSet& files, const InteractionData& data) {
  write_part(files.add("train.tsv"), data, data.train);
  write_part(files.add("validation.tsv"), data, data.validation);
  write_part(files.add("test.tsv"), data, data.test);
  if (!data.titles.empty() || !data.categories.empty() || has_items_without_interactions(data)) {
    write_items(files.add("items.tsv"), data);
  } else {
    files.remove("items.tsv");
  }
}

void write_interaction_folder(const fs::path& folder, const InteractionData& data) {
  FileSet files(folder);
  write_interactions(files, data);
  // These belong to generated data that may have been here before.
  files.remove("rules.tsv");
  files.remove("causes.tsv");
  files.commit();
}

}  // namespace linn
