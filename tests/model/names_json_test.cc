#include "linn/model/names_json.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace linn {
namespace {

TEST(NamesJson, RoundTrips) {
  Vocabulary names;
  for (const char* name : {"b", "a \"quoted\"", "é"}) names.intern(name);
  const Vocabulary read = names_from_json(names_to_json(names), "model");
  ASSERT_EQ(read.size(), 3U);
  for (VariableId id = 0; id < 3; ++id) EXPECT_EQ(read.name(id), names.name(id));
}

TEST(NamesJson, RejectsOtherJson) {
  const auto expect_error = [](const char* text, const char* part) {
    expect_input_error([&] { names_from_json(text, "model"); }, 0, 0, part, "model");
  };
  expect_error("{}", "the vocabulary is not a JSON list");
  expect_error("[\"a\"", "the vocabulary is not a JSON list");
  expect_error("[\"a\", 1]", "a name in the vocabulary is not a string");
  expect_error(R"(["a", "b", "a"])", "the vocabulary contains 'a' twice");
  expect_error(R"(["a\u001b"])", "control characters");
}

}  // namespace
}  // namespace linn
