#include "linn/base/json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace linn {
namespace {

std::string nested(std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); }

std::string object_of(std::size_t keys) {
  std::string text = "{";
  for (std::size_t i = 0; i < keys; ++i) text += fmt::format(R"({}"k{}": {})", i == 0 ? "" : ", ", i, i);
  return text + "}";
}

TEST(Json, ParsesWhatOurFilesHold) {
  EXPECT_EQ(parse_json(R"({"a": [1, {"b": "x:{[\"}"}]})").at("a").at(1).at("b"), "x:{[\"}");
  EXPECT_EQ(parse_json(nested(32)).size(), 1U);
  EXPECT_EQ(parse_json(object_of(1000)).size(), 1000U);
  EXPECT_TRUE(parse_json("{").is_discarded());
}

TEST(Json, RefusesWhatWouldTakeTheStackOrAllTime) {
  EXPECT_TRUE(parse_json(nested(33)).is_discarded());
  EXPECT_TRUE(parse_json(nested(1'000'000)).is_discarded());
  EXPECT_TRUE(parse_json(object_of(20'001)).is_discarded());
  std::string small = "[{}";
  for (int i = 0; i < 200'000; ++i) small += ",{}";
  EXPECT_TRUE(parse_json(small + "]").is_discarded());
  // Keys of different objects, and what strings contain, do not add up.
  EXPECT_FALSE(parse_json("[" + object_of(15'000) + "," + object_of(15'000) + "]").is_discarded());
  EXPECT_FALSE(parse_json("[\"" + std::string(100'000, '[') + "\"]").is_discarded());
}

}  // namespace
}  // namespace linn
