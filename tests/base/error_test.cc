#include "linn/base/error.h"

#include <gtest/gtest.h>

#include <string>

namespace linn {
namespace {

TEST(InputError, PrintsTheKnownPartsOfThePlace) {
  EXPECT_STREQ(InputError("bad").what(), "bad");
  EXPECT_STREQ(InputError("bad", {"", 1, 0}).what(), "bad");
  EXPECT_STREQ(InputError("bad", {"", 1, 7}).what(), "column 7: bad");
  EXPECT_STREQ(InputError("bad", {"", 3, 7}).what(), "line 3, column 7: bad");
  EXPECT_STREQ(InputError("bad", {"", 3, 0}).what(), "line 3: bad");
  EXPECT_STREQ(InputError("bad", {"f.txt", 0, 0}).what(), "f.txt: bad");
  EXPECT_STREQ(InputError("bad", {"f.txt", 3, 0}).what(), "f.txt:3: bad");
  EXPECT_STREQ(InputError("bad", {"f.txt", 3, 7}).what(), "f.txt:3:7: bad");
}

TEST(InputError, GetsItsFileLater) {
  const InputError error = InputError("bad", {"", 1, 3}, "a $").in_file("f.txt", 12);
  EXPECT_STREQ(error.what(), "f.txt:12:3: bad");
  EXPECT_EQ(error.message(), "bad");
  EXPECT_EQ(error.excerpt(), "  a $\n    ^\n");
}

std::string excerpt(std::size_t column, std::string line) {
  return InputError("bad", {"", 1, column}, std::move(line)).excerpt();
}

TEST(InputError, Excerpts) {
  EXPECT_EQ(InputError("bad").excerpt(), "");
  EXPECT_EQ(excerpt(0, "abc"), "");
  EXPECT_EQ(excerpt(1, ""), "");
  EXPECT_EQ(excerpt(1, "abc"), "  abc\n  ^\n");
  EXPECT_EQ(excerpt(4, "abc"), "  abc\n     ^\n");
  EXPECT_EQ(excerpt(3, "é∧😀"), "  é∧😀\n    ^\n");
  EXPECT_EQ(excerpt(3, "\xff\t\x01z"), "  ? ?z\n    ^\n");
}

TEST(InputError, ExcerptsOfLongLinesAreCut) {
  const std::string line = std::string(1000, 'a') + "$" + std::string(1000, 'b');
  EXPECT_EQ(excerpt(1, line), "  " + std::string(40, 'a') + "...\n  ^\n");
  EXPECT_EQ(excerpt(61, line), "  " + std::string(100, 'a') + "...\n" + std::string(62, ' ') + "^\n");
  EXPECT_EQ(excerpt(62, line), "  ..." + std::string(100, 'a') + "...\n" + std::string(65, ' ') + "^\n");
  EXPECT_EQ(excerpt(1001, line),
            "  ..." + std::string(60, 'a') + "$" + std::string(39, 'b') + "...\n" + std::string(65, ' ') + "^\n");
  EXPECT_EQ(excerpt(2002, line), "  ..." + std::string(60, 'b') + "\n" + std::string(65, ' ') + "^\n");
  std::string accents;
  for (int i = 0; i < 200; ++i) accents += "é";
  EXPECT_EQ(excerpt(101, accents), "  ..." + accents.substr(200, 200) + "...\n" + std::string(65, ' ') + "^\n");
}

TEST(InputError, AnotherMessageKeepsThePlace) {
  const InputError error("one", Place{"file", 3, 2}, "abc");
  EXPECT_STREQ(error.with_message("two").what(), "file:3:2: two");
  EXPECT_EQ(error.with_message("two").excerpt(), error.excerpt());
}

}  // namespace
}  // namespace linn
