#include "linn/data/interactions.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "linn/base/file.h"
#include "linn/base/random.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

using Rows = std::vector<Interaction>;

std::vector<std::string> names(const Vocabulary& vocabulary) {
  std::vector<std::string> all;
  for (std::uint32_t id = 0; id < vocabulary.size(); ++id) all.push_back(vocabulary.name(id));
  return all;
}

void expect_same(const InteractionData& a, const InteractionData& b) {
  EXPECT_EQ(names(a.users), names(b.users));
  EXPECT_EQ(names(a.items), names(b.items));
  EXPECT_EQ(a.titles, b.titles);
  EXPECT_EQ(a.categories, b.categories);
  EXPECT_EQ(a.train, b.train);
  EXPECT_EQ(a.validation, b.validation);
  EXPECT_EQ(a.test, b.test);
}

using Texts = std::vector<std::string>;

TEST(InteractionFolder, ReadsOurs) {
  const TempFolder folder;
  write_file(folder / "train.tsv", "user\titem\tlabel\ttime\nann\tx\t1\t5\nbob\ty\t0\t3\nann\ty\t1\t7\n");
  write_file(folder / "validation.tsv", "user\titem\tlabel\ttime\nann\tz\t1\t-9\n");
  write_file(folder / "test.tsv", "user\titem\tlabel\ttime\neve\tx\t0\t12.75\n");
  write_file(folder / "items.tsv", "item\ttitle\nw\tThe W\nx\tThe X, \"really\"\nz\t\n");
  const InteractionData data = read_interaction_folder(folder.path());
  EXPECT_EQ(names(data.users), (Texts{"ann", "bob", "eve"}));
  EXPECT_EQ(names(data.items), (Texts{"x", "y", "z", "w"}));
  EXPECT_EQ(data.titles, (Texts{"The X, \"really\"", "", "", "The W"}));
  EXPECT_EQ(data.train, (Rows{{0, 0, true, 5}, {1, 1, false, 3}, {0, 1, true, 7}}));
  EXPECT_EQ(data.validation, (Rows{{0, 2, true, -9}}));
  EXPECT_EQ(data.test, (Rows{{2, 0, false, 12}}));
}

TEST(InteractionFolder, ReadsTheAuthors) {
  const TempFolder folder;
  write_file(folder / "train.csv", "uid\tiid\tlabel\ttime\n7\t50\t1\t100\n7\t51\t0\t101\n");
  write_file(folder / "item.csv", "iid\ti_year\ti_Action\n50\t13\t1\n99\t12\t2\n51\t12\t2\n");
  const InteractionData data = read_interaction_folder(folder.path());
  EXPECT_EQ(names(data.items), (Texts{"50", "51", "99"}));
  EXPECT_TRUE(data.titles.empty());
  EXPECT_EQ(data.train, (Rows{{0, 0, true, 100}, {0, 1, false, 101}}));
  EXPECT_TRUE(data.validation.empty());
  EXPECT_TRUE(data.test.empty());
}

TEST(InteractionFolder, ReadsFurtherColumnsOfItemsAsCategories) {
  const TempFolder folder;
  write_file(folder / "train.tsv", "user\titem\tlabel\nann\tx\t1\nann\ty\t0\n");
  write_file(folder / "items.tsv", "genres\titem\ttitle\tmaker\nDrama|War\tw\tW\tme\n\tx\tX\tyou\n||War|War\ty\t\t\n");
  const InteractionData data = read_interaction_folder(folder.path());
  EXPECT_EQ(names(data.items), (Texts{"x", "y", "w"}));
  EXPECT_EQ(data.categories,
            (std::vector<CategoryColumn>{{"genres", {"", "||War|War", "Drama|War"}}, {"maker", {"you", "", "me"}}}));
  const ItemCategories categories(data.categories, data.items.size());
  EXPECT_EQ(categories.count(), 4U);
  const auto of = [&](ItemId item) {
    return std::vector<std::uint32_t>(categories.of(item).begin(), categories.of(item).end());
  };
  EXPECT_EQ(of(0), std::vector<std::uint32_t>{0});
  EXPECT_EQ(of(1), std::vector<std::uint32_t>{1});
  EXPECT_EQ(of(2), (std::vector<std::uint32_t>{1, 2, 3}));
  write_file(folder / "items.tsv", "item\tgenres\nw\t\xff\n");
  expect_input_error([&] { read_interaction_folder(folder.path()); }, 2, 3, "expected valid UTF-8 as categories",
                     "items.tsv");
}

TEST(InteractionFolder, ReadsCommasGzipAndNoTime) {
  const TempFolder folder;
  write_file(folder / "train.csv.gz", "label,item,user,note\n1,\"a,b\",u,x\n");
  write_file(folder / "items.csv", "title,item\n\"Big, bigger\",\"a,b\"\n");
  const InteractionData data = read_interaction_folder(folder.path());
  EXPECT_EQ(names(data.items), Texts{"a,b"});
  EXPECT_EQ(data.titles, Texts{"Big, bigger"});
  EXPECT_EQ(data.train, (Rows{{0, 0, true, 0}}));
}

TEST(InteractionFolder, ReportsErrors) {
  const TempFolder folder;
  const auto read = [&] { read_interaction_folder(folder.path()); };
  expect_input_error([&] { read_interaction_folder(folder / "none"); }, 0, 0, "no such folder", "none");
  expect_input_error(read, 0, 0, "no training data");
  const auto with_train = [&](std::string_view text, std::size_t line, std::size_t column, std::string_view part) {
    SCOPED_TRACE(text);
    write_file(folder / "train.tsv", text);
    expect_input_error(read, line, column, part, "train.tsv");
  };
  with_train("", 0, 0, "the file is empty");
  with_train("user\titem\tlabel\ttime\n", 0, 0, "the file contains no interactions");
  with_train("user\titem\ttime\n", 1, 0, "no column 'label'");
  with_train("user\titem\tlabel\ttime\na\tb\t1\t1\na\tb\t5\t1\n", 3, 5, "expected 1 for a like or 0 for a dislike");
  with_train("user\titem\tlabel\ttime\na\tb\t1\tnoon\n", 2, 7,
             "expected a number or a date such as 2024-02-14 or 2024-02-14T10:01:00Z as time, found 'noon'");
  with_train("user\titem\tlabel\ttime\na\tb\t1\t1e30\n", 2, 7, "expected a number or a date");
  with_train("user\titem\tlabel\ttime\n\tb\t1\t1\n", 2, 1, "expected an identifier as user, found nothing");
  with_train("user\titem\tlabel\ttime\na\t\xff\t1\t1\n", 2, 3, "valid UTF-8 without control characters as item");
  with_train("user\titem\tlabel\ttime\na\tb\t1\n", 2, 6, "expected 4 tab-separated fields");

  write_file(folder / "train.tsv", "user\titem\tlabel\ttime\na\tb\t1\t1\n");
  write_file(folder / "items.tsv", "item\ttitle\nb\tone\nb\ttwo\n");
  expect_input_error(read, 3, 1, "duplicate item 'b'", "items.tsv");
  write_file(folder / "items.tsv", "item\ttitle\nb\t\xe9t\xe9\n");
  expect_input_error(read, 2, 3, "expected valid UTF-8 as title", "items.tsv");
  write_file(folder / "item.csv", "iid\n");
  expect_input_error(read, 0, 0, "found both items.tsv and item.csv");
}

TEST(InteractionFolder, WritesOnlyWhatThereIs) {
  const TempFolder folder;
  InteractionData data;
  data.users.intern("u");
  data.items.intern("i");
  data.train = {{0, 0, true, 4}};
  write_file(folder / "items.tsv", "item\ttitle\nold\tOld\n");
  write_file(folder / "rules.tsv", "rule\tbody\thead\n");
  write_interaction_folder(folder.path(), data);
  EXPECT_EQ(read_file(folder / "train.tsv"), "user\titem\tlabel\ttime\nu\ti\t1\t4\n");
  EXPECT_EQ(read_file(folder / "test.tsv"), "user\titem\tlabel\ttime\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "items.tsv"));
  EXPECT_FALSE(std::filesystem::exists(folder / "rules.tsv"));
  data.items.intern("unrated");
  write_interaction_folder(folder.path(), data);
  EXPECT_EQ(read_file(folder / "items.tsv"), "item\ttitle\ni\t\nunrated\t\n");
}

TEST(InteractionFolder, FailsWhereItCannotWrite) {
  const TempFolder folder;
  write_file(folder / "file", "");
  EXPECT_THROW(write_interaction_folder(folder / "file", {}), InputError);
}

TEST(InteractionFolder, RoundTrips) {
  const TempFolder folder;
  Random random(7);
  for (int round = 0; round < 5; ++round) {
    InteractionData data;
    const auto fill = [&](Rows& part) {
      for (std::uint64_t left = random.below(30); left > 0; --left) {
        part.push_back({data.users.intern("u " + std::to_string(random.below(9))),
                        data.items.intern("\"" + std::to_string(random.below(9)) + ","), random.below(2) == 1,
                        static_cast<std::int64_t>(random.next())});
      }
    };
    data.train.push_back({data.users.intern("one"), data.items.intern("two"), false, 1});
    fill(data.train);
    fill(data.validation);
    fill(data.test);
    if (round % 2 == 0) data.items.intern("in no row");
    if (round % 3 == 0) {
      data.titles.resize(data.items.size());
      data.titles.front() = "Tür";
    }
    if (round % 3 == 1) {
      data.categories = {{"genres", Texts(data.items.size())}, {"tags", Texts(data.items.size(), "a|b")}};
      data.categories[0].values.back() = "Drama";
    }
    write_interaction_folder(folder.path(), data);
    expect_same(read_interaction_folder(folder.path()), data);
  }
}

}  // namespace
}  // namespace linn
