#include "linn/base/split.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace linn {
namespace {

TEST(Split, KeepsEmptyParts) {
  using Parts = std::vector<std::string_view>;
  EXPECT_EQ(split("a,b", ','), (Parts{"a", "b"}));
  EXPECT_EQ(split("", ','), (Parts{""}));
  EXPECT_EQ(split(",a,,", ','), (Parts{"", "a", "", ""}));
}

RC_GTEST_PROP(Split, CanBeUndone, (const std::string& text)) {
  std::string joined;
  for (const std::string_view part : split(text, ',')) joined += std::string(part) + ',';
  joined.pop_back();
  RC_ASSERT(joined == text);
}

}  // namespace
}  // namespace linn
