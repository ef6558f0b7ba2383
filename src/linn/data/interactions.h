// Likes and dislikes as data: what users did with items, in order, split for training, validation and test.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "linn/data/data_folder.h"
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

// Users and items have dense numbers, in the order in which they are first met in train, validation and test; items
// that only the file of items names come last. Their names are the identifiers of the source. A user's interactions in
// order are the user's rows of train, then of validation, then of test, each in the order of the file.
struct InteractionData {
  Vocabulary users;
  Vocabulary items;
  std::vector<std::string> titles;  // by item, or none at all; a title is empty where the source has none
  std::vector<Interaction> train, validation, test;
};

// Reads a folder: train, validation and test as .tsv or .csv, plain or .gz, with the header `user item label time` or
// the authors' `uid iid label time` (label 1 or 0; time may be missing), and beside them, if there, `items` (`item
// title`) or the authors' `item` (`iid ...` with a title or name column, if any). Validation and test may be missing.
// Throws InputError naming file and line.
InteractionData read_interaction_folder(const std::filesystem::path& folder);

// One table of a folder: appends the rows to one of the parts.
void read_interactions(TableReader& table, InteractionData& data, std::vector<Interaction>& part);
// The table of items and, if it has such a column, their titles.
void read_titles(TableReader& table, InteractionData& data);

// Writes train.tsv, validation.tsv, test.tsv and, where there are titles or items without interactions, items.tsv. All
// of them appear when all are complete; what else there is of an older data set in the folder goes.
void write_interaction_folder(const std::filesystem::path& folder, const InteractionData& data);
// The same for a data set with more files, which are committed together.
void write_interactions(FileSet& files, const InteractionData& data);

// The number of a user's or an item's identifier, new or known. Throws InputError that says what it was expected `as`.
std::uint32_t intern_identifier(Vocabulary& names, std::string_view name, std::string_view as);

// A title as it stands in one line of a table: every control character becomes a space. Throws InputError if it is not
// valid UTF-8.
std::string clean_title(std::string_view title);

}  // namespace linn
