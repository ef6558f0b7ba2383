#include "linn/logic/vocabulary.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

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

// The hash of version 0.1.0, which had no key, was invertible: this makes names of eight letters that it put into one
// slot of a million.
std::vector<std::string> names_that_collided(std::size_t count) {
  const auto inverse = [](std::uint64_t odd) {
    std::uint64_t x = odd;
    for (int i = 0; i < 6; ++i) x *= 2 - odd * x;
    return x;
  };
  const std::uint64_t last = inverse(0x94D049BB133111EBU);
  const std::uint64_t first = inverse(0xBF58476D1CE4E5B9U);
  std::vector<std::string> names;
  for (std::uint64_t high = 0; names.size() < count; ++high) {
    std::uint64_t h = high << 20U;
    h ^= h >> 32U;
    h *= last;
    h ^= (h >> 29U) ^ (h >> 58U);
    h *= first;
    h ^= 0x9E3779B97F4A7C15U ^ 8U;
    std::string name(8, '\0');
    std::memcpy(name.data(), &h, name.size());
    if (std::ranges::all_of(name, [](char c) { return c > ' ' && c < 0x7F; })) names.push_back(name);
  }
  return names;
}

TEST(Vocabulary, FindsNamesFastThatWereChosenToCollide) {
  Vocabulary names;
  const std::vector<std::string> chosen = names_that_collided(1000);
  for (const std::string& name : chosen) names.intern(name);
  for (const std::string& name : chosen) names.intern(name + "a long one");
  EXPECT_EQ(names.size(), 2000U);
  EXPECT_LT(names.longest_search(), 100U);
}

}  // namespace
}  // namespace linn
