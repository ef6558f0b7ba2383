// Checks an InputError and its position.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <string_view>

#include "linn/base/error.h"

namespace linn {

// Expects the action to throw an InputError at the line and column (0 for none) with `part` in its message.
inline void expect_input_error(const std::function<void()>& action, std::size_t line, std::size_t column,
                               std::string_view part, std::string_view file = {}) {
  try {
    action();
  } catch (const InputError& error) {
    EXPECT_EQ(error.place().line, line) << error.what();
    EXPECT_EQ(error.place().column, column) << error.what();
    EXPECT_NE(error.message().find(part), std::string::npos) << error.what() << "\nlacks: " << part;
    EXPECT_TRUE(std::string_view(error.place().file).ends_with(file)) << error.what();
    return;
  }
  ADD_FAILURE() << "no InputError; expected one with: " << part;
}

}  // namespace linn
