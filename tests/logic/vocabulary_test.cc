#include "linn/logic/vocabulary.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "support/expect_error.h"

namespace linn {
namespace {

TEST(Vocabulary, AssignsIdsInOrderOfFirstOccurrence) {
  Vocabulary names;
  EXPECT_EQ(names.find("a"), std::nullopt);
  EXPECT_EQ(names.intern("b"), 0U);
  EXPECT_EQ(names.intern("a"), 1U);
  EXPECT_EQ(names.intern("b"), 0U);
  EXPECT_EQ(names.find("a"), 1U);
  EXPECT_EQ(names.find("c"), std::nullopt);
  EXPECT_EQ(names.name(0), "b");
  EXPECT_EQ(names.size(), 2U);
}

TEST(Vocabulary, KeepsManyNamesAndReferencesToThem) {
  Vocabulary names;
  const std::string& first = names.name(names.intern("x0"));
  constexpr std::uint32_t kMany = 100'000;
  for (std::uint32_t i = 0; i < kMany; ++i) ASSERT_EQ(names.intern(fmt::format("x{}", i)), i);
  for (std::uint32_t i = 0; i < kMany; ++i) ASSERT_EQ(names.find(fmt::format("x{}", i)), i);
  EXPECT_EQ(first, "x0");
  EXPECT_EQ(names.size(), kMany);
}

TEST(Vocabulary, DistinguishesLongAndSimilarNames) {
  Vocabulary names;
  std::string name;
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(names.intern(name += 'a'), i);
  name.assign(64, 'b');
  for (std::uint32_t i = 0; i < 64; ++i) {
    name[i] = 'c';
    EXPECT_EQ(names.intern(name), 64 + i);
  }
}

TEST(Vocabulary, RejectsNamesThatFilesCannotRepresent) {
  Vocabulary names;
  expect_input_error([&] { names.intern(""); }, 0, 0, "must not be empty");
  expect_input_error([&] { names.intern("a\nb"); }, 0, 0, "control characters");
  expect_input_error([&] { names.intern("\x7f"); }, 0, 0, "control characters");
  expect_input_error([&] { names.intern(std::string_view("a\0", 2)); }, 0, 0, "control characters");
  expect_input_error([&] { names.intern("\xc3"); }, 0, 0, "valid UTF-8");
  EXPECT_EQ(names.size(), 0U);
  EXPECT_EQ(names.intern("ok"), 0U);
}

}  // namespace
}  // namespace linn
