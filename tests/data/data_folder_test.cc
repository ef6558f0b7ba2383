#include "linn/data/data_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "linn/base/error.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

namespace fs = std::filesystem;

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(DataFolder, FindsATableByAnyOfItsNames) {
  const TempFolder folder;
  EXPECT_EQ(find_table(folder.path(), {"items", "item"}), fs::path());
  write_file(folder / "item.csv.gz", "");
  EXPECT_EQ(find_table(folder.path(), {"items", "item"}), folder / "item.csv.gz");
  write_file(folder / "items.tsv", "");
  expect_input_error([&] { find_table(folder.path(), {"items", "item"}); }, 0, 0, "keep only one of them");
}

TEST(DataFolder, RejectsFoldersWithAnOldDataSet) {
  const TempFolder folder;
  check_room_for_tables(folder / "none", {"train"}, false);
  write_file(folder / "train.tsv", "");
  expect_input_error(
      [&] {
        check_room_for_tables(folder.path(), {"test", "train"}, false);
      },
      0, 0, "train.tsv already exists; use force to overwrite it");
  check_room_for_tables(folder.path(), {"test", "train"}, true);
  check_room_for_tables(folder.path(), {"test"}, false);
  write_file(folder / "test.csv.gz", "");
  expect_input_error(
      [&] {
        check_room_for_tables(folder.path(), {"test", "train"}, true);
      },
      0, 0, "test.csv.gz is in the way");
  write_file(folder / "item.tsv", "");
  check_room_for_tables(folder.path(), {"items"}, true);
  expect_input_error([&] { check_room_for_tables(folder.path(), {"items"}, true, "item"); }, 0, 0,
                     "item.tsv is in the way");
}

TEST(FileSet, AllAppearTogetherOrNotAtAll) {
  const TempFolder folder;
  write_file(folder / "old", "old");
  {
    FileSet files(folder / "new" / "deep");
    files.add("one").write("1");
    files.add("two").write("2");
  }
  EXPECT_EQ(files_in(folder / "new" / "deep"), 0U);

  FileSet files(folder.path());
  files.add("one").write("1");
  files.add("two").write("2");
  files.remove("old");
  files.remove("never there");
  EXPECT_FALSE(fs::exists(folder / "one"));
  EXPECT_TRUE(fs::exists(folder / "old"));
  files.commit();
  EXPECT_EQ(read_file(folder / "one"), "1");
  EXPECT_EQ(read_file(folder / "two"), "2");
  EXPECT_FALSE(fs::exists(folder / "old"));
  EXPECT_EQ(files_in(folder.path()), 3U);
}

TEST(FileSet, AFolderThatWasCutOffIsIncompleteUntilItIsWrittenAgain) {
  const TempFolder folder;
  {
    FileSet files(folder.path());
    files.add("train.tsv").write("1");
    files.commit();
  }
  EXPECT_FALSE(is_incomplete(folder.path()));
  write_file(folder / ".linn-incomplete", "");  // as a kill between two renames leaves it
  EXPECT_TRUE(is_incomplete(folder.path()));
  expect_input_error([&] { find_table(folder.path(), {"train"}); }, 0, 0, "this data set is incomplete");
  {
    FileSet files(folder.path());
    files.add("train.tsv").write("2");
    files.commit();
  }
  EXPECT_EQ(find_table(folder.path(), {"train"}), folder / "train.tsv");
}

}  // namespace
}  // namespace linn
