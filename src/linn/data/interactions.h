// Likes and dislikes as data: what users did with items, in order, split for training, validation and test.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "linn/logic/vocabulary.h"

namespace linn {

using UserId = std::uint32_t;
using ItemId = std::uint32_t;

struct Interaction {
  UserId user = 0;
  ItemId item = 0;
  bool liked = false;
  std::int64_t time = 0;

  friend bool operator==(const Interaction&, const Interaction&) = default;
};

// Users and items have dense numbers; their names are the identifiers of the source. A user's interactions in order are
// the user's rows of train, then of validation, then of test, each in the order of the file.
struct InteractionData {
  Vocabulary users;
  Vocabulary items;
  std::vector<std::string> titles;  // by item; empty where the source has none
  std::vector<Interaction> train, validation, test;
};

// Reads a folder: train, validation and test as .tsv or .csv, plain or .gz, with the header `user item label time` or
// the authors' `uid iid label time` (label 1 or 0; time may be missing), and beside them, if there, `items` (`item
// title`) or the authors' `item` (`iid ...` with a title or name column, if any). Validation and test may be missing.
// Throws InputError naming file and line.
InteractionData read_interaction_folder(const std::filesystem::path& folder);

// Writes train.tsv, validation.tsv, test.tsv and, where there are titles, items.tsv. Each file appears whole or not at
// all.
void write_interaction_folder(const std::filesystem::path& folder, const InteractionData& data);

}  // namespace linn
