// Data folders: which files a data set is read from, and how a new one gets in.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <list>
#include <string_view>
#include <utility>
#include <vector>

#include "linn/base/file.h"

namespace linn {

// The one file of the folder that has one of the names, with any of the endings .tsv, .csv, .tsv.gz and .csv.gz; empty
// if there is none. Throws InputError if there are two.
std::filesystem::path find_table(const std::filesystem::path& folder, std::initializer_list<std::string_view> names);

// Throws InputError if NAME.tsv is in the folder for one of the names, unless it may be overwritten, or if the folder
// has another file (NAME.csv, say) that would stand beside the new one when the data set is read; also one of another
// name under which the table is looked for.
void check_room_for_tables(const std::filesystem::path& folder, std::initializer_list<std::string_view> names,
                           bool overwrite, std::string_view other_name = {});

// Files of one folder that appear together: all are written under temporary names first, and commit() gives them
// theirs. Without it nothing is left behind.
class FileSet {
 public:
  // Makes the folder if need be. Throws Failure if that cannot be done.
  explicit FileSet(std::filesystem::path folder);

  FileWriter& add(std::string_view name);
  // A file of an older data set that the new one has not, and that goes when the new one comes.
  void remove(std::string_view name) { removed_.push_back(folder_ / name); }
  void commit();

 private:
  std::filesystem::path folder_;
  std::list<FileWriter> files_;
  std::vector<std::filesystem::path> removed_;
};

}  // namespace linn
