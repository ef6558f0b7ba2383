// Data folders: finding the tables of a data set, and writing new ones atomically.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <list>
#include <string_view>
#include <utility>
#include <vector>

#include "linn/base/file.h"

namespace linn {

// Whether a FileSet was cut off while it replaced the files of the folder: some may be new and some old.
bool is_incomplete(const std::filesystem::path& folder);

// The only file in the folder that has one of the names and the extension .tsv, .csv, .tsv.gz or .csv.gz; empty if
// there is none. Throws InputError if there are several, or if the folder is incomplete.
std::filesystem::path find_table(const std::filesystem::path& folder, std::initializer_list<std::string_view> names);

// Throws InputError if NAME.tsv exists for one of the names and may not be overwritten, or if the folder contains
// another file (such as NAME.csv, or a file called `other_name`) that would make the folder ambiguous.
void check_room_for_tables(const std::filesystem::path& folder, std::initializer_list<std::string_view> names,
                           bool overwrite, std::string_view other_name = {});

// Files of one folder that appear together: all are written under temporary names, and commit() renames them. Without
// commit() nothing remains. While it renames, a marker says that the folder is incomplete.
class FileSet {
 public:
  // Creates the folder if necessary. Throws Failure if that fails.
  explicit FileSet(std::filesystem::path folder);

  FileWriter& add(std::string_view name);
  // Schedules the removal, on commit, of a file that belongs to an older data set only.
  void remove(std::string_view name) { removed_.push_back(folder_ / name); }
  void commit();

 private:
  std::filesystem::path folder_;
  std::list<FileWriter> files_;
  std::vector<std::filesystem::path> removed_;
};

}  // namespace linn
