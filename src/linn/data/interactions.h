// Likes and dislikes as data: the interactions of users with items, in order, split into training, validation and test.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "linn/data/data_folder.h"
#include "linn/data/item_categories.h"
#include "linn/data/table.h"
#include "linn/logic/vocabulary.h"

namespace linn {

using UserId = std::uint32_t;
using ItemId = std::uint32_t;
inline constexpr ItemId kNoItem = ~ItemId{0};

struct Interaction {
  UserId user = 0;
  ItemId item = 0;
  bool liked = false;
  std::int64_t time = 0;

  friend bool operator==(const Interaction&, const Interaction&) = default;
};

// Users and items have consecutive ids, in order of first occurrence in train, validation and test; items that occur
// only in the items file come last. Names are the identifiers of the source. The chronological history of a user is
// their rows of train, then validation, then test, each in file order.
struct InteractionData {
  Vocabulary users;
  Vocabulary items;
  std::vector<std::string> titles;         // by item, or empty; a title is empty if the source has none
  std::vector<CategoryColumn> categories;  // of the items; usually none
  std::vector<Interaction> train, validation, test;
  // So many of the first training rows were there before a training that is continued.
  std::size_t earlier = 0;
};

// Reads a folder: train, validation and test as .tsv or .csv, optionally .gz, with the header `user item label time` or
// the authors' `uid iid label time` (label 1 or 0; time is optional), and optionally `items` (`item title`) or the
// authors' `item` (`iid ...`, possibly with a title or name column); further columns are categories of the items.
// Validation and test are optional. Throws InputError with file and line.
InteractionData read_interaction_folder(const std::filesystem::path& folder);

// Appends the rows of one table to one of the parts.
void read_interactions(TableReader& table, InteractionData& data, std::vector<Interaction>& part);
// Reads the table of items: their titles, if it has such a column, and their categories.
void read_items(TableReader& table, InteractionData& data);

// Writes train.tsv, validation.tsv, test.tsv and, if there are titles, categories or items without
// interactions, items.tsv. All files appear together; other files of an older data set are removed.
void write_interaction_folder(const std::filesystem::path& folder, const InteractionData& data);
// The same for a data set with additional files, which are committed together.
void write_interactions(FileSet& files, const InteractionData& data);

// The id of a user's or an item's identifier, which is added if it is new. Throws InputError saying what it was
// expected `as`.
std::uint32_t intern_identifier(Vocabulary& names, std::string_view name, std::string_view as);

// A field as written in one line of a table: control characters become spaces. Throws InputError saying what valid
// UTF-8 was expected `as`.
std::string clean_field(std::string_view text, std::string_view as);
std::string clean_title(std::string_view title);

}  // namespace linn
