#include "linn/kernels/dispatch.h"

#include <gtest/gtest.h>

namespace linn {
namespace {

TEST(Dispatch, GoesThroughAllInstructionSetsAndBackToTheBest) {
  const std::vector<std::string> names = supported_instruction_sets();
  ASSERT_FALSE(names.empty());
  EXPECT_EQ(current_instruction_set(), names.front());
  for (const std::string& name : names) {
    EXPECT_TRUE(restrict_instruction_set(name));
    EXPECT_EQ(current_instruction_set(), name);
    EXPECT_EQ(supported_instruction_sets(), names) << "a restriction hides nothing";
    EXPECT_EQ(current_instruction_set(), name) << "the question changes nothing";
  }
  EXPECT_TRUE(restrict_instruction_set(""));
  EXPECT_EQ(current_instruction_set(), names.front());
}

TEST(Dispatch, RefusesAnUnknownName) {
  const std::string last = supported_instruction_sets().back();
  ASSERT_TRUE(restrict_instruction_set(last));
  EXPECT_FALSE(restrict_instruction_set("abacus"));
  EXPECT_EQ(current_instruction_set(), last);
  restrict_instruction_set("");
}

}  // namespace
}  // namespace linn
