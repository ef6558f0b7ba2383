#include "linn/base/options.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "support/expect_error.h"

namespace linn {
namespace {

enum class Leaf : std::uint8_t { kGreen, kBlack };

struct Tea {
  double minutes = 3.0;
  float sugar = 0.1F;
  std::size_t cups = 2;
  bool milk = false;
  Leaf leaf = Leaf::kBlack;
};

OptionTable<Tea> tea_table() {
  OptionTable<Tea> table;
  table.number("minutes", "Brewing time", 1, 10, &Tea::minutes);
  table.number("sugar", "Spoons per cup", 0, 1, &Tea::sugar);
  table.integer("cups", "Number of cups", 1, 8, &Tea::cups);
  table.flag("milk", "With milk", &Tea::milk);
  table.choice<Leaf>("leaf", "Kind of tea", {{"green", Leaf::kGreen}, {"black", Leaf::kBlack}}, &Tea::leaf);
  table.alias("mugs", "cups");
  return table;
}

struct Guest {
  Tea tea;
  std::size_t chairs = 1;
};
struct Host : Tea {
  Guest guest;
};

// A part may be a member or a base; old names come along.
TEST(OptionTable, IncludesTheOptionsOfItsParts) {
  OptionTable<Guest> guests;
  guests.include(tea_table(), &Guest::tea);
  guests.integer("chairs", "Chairs", 1, 4, &Guest::chairs);
  Guest guest;
  guests.set(guest, "mugs", "5");
  guests.set(guest, "chairs", "3");
  EXPECT_EQ(guest.tea.cups, 5U);
  EXPECT_EQ(guests.find("cups")->get(guest), "5");
  EXPECT_EQ(guests.options().size(), 6U);
  OptionTable<Host> hosts;
  hosts.include(tea_table());
  Host host;
  hosts.set(host, "leaf", "green");
  EXPECT_EQ(host.leaf, Leaf::kGreen);
  EXPECT_EQ(host.guest.tea.leaf, Leaf::kBlack);
}

TEST(OptionTable, SetsAndPrintsEveryKind) {
  const OptionTable<Tea> table = tea_table();
  Tea tea;
  const auto text_of = [&](std::string_view name) { return table.find(name)->get(tea); };
  EXPECT_EQ(text_of("minutes"), "3");
  EXPECT_EQ(text_of("sugar"), "0.1");
  EXPECT_EQ(text_of("cups"), "2");
  EXPECT_EQ(text_of("milk"), "false");
  EXPECT_EQ(text_of("leaf"), "black");
  table.set(tea, "minutes", "4.5");
  table.set(tea, "sugar", "0.25");
  table.set(tea, "cups", "8");
  table.set(tea, "milk", "yes");
  table.set(tea, "leaf", "green");
  EXPECT_EQ(tea.minutes, 4.5);
  EXPECT_EQ(tea.sugar, 0.25F);
  EXPECT_EQ(tea.cups, 8U);
  EXPECT_TRUE(tea.milk);
  EXPECT_EQ(tea.leaf, Leaf::kGreen);
  EXPECT_EQ(table.find("leaf")->range, "green|black");
  EXPECT_EQ(table.find("minutes")->range, "1 to 10");
  EXPECT_EQ(table.find("tea"), nullptr);
}

TEST(OptionTable, RejectsInvalidValuesAndKeepsTheOldOnes) {
  const OptionTable<Tea> table = tea_table();
  Tea tea;
  const auto expect_error = [&](std::string_view name, std::string_view text, std::string_view part) {
    expect_input_error([&] { table.set(tea, name, text); }, 0, 0, part);
  };
  for (const char* text : {"", "0.99", "10.01", "nan", "inf", "3x", " 3", "three"}) {
    expect_error("minutes", text, "minutes must be a number from 1 to 10, not '" + std::string(text) + "'");
  }
  for (const char* text : {"", "0", "9", "-1", "2.0", "18446744073709551618"}) {
    expect_error("cups", text, "cups must be a whole number from 1 to 8, not '" + std::string(text) + "'");
  }
  expect_error("milk", "2", "milk must be true or false, not '2'");
  expect_error("leaf", "red", "leaf must be one of green, black, not 'red'");
  expect_error("leaf", "blakc", "did you mean 'black'?");
  expect_error("minuets", "3", "unknown option 'minuets', did you mean 'minutes'?");
  expect_error("zzzzzz", "3", "unknown option 'zzzzzz'");
  EXPECT_EQ(tea.minutes, 3.0);
  EXPECT_EQ(tea.cups, 2U);
  EXPECT_EQ(tea.leaf, Leaf::kBlack);
}

TEST(NearestWord, IsTheClosestByEditDistanceIfItIsClose) {
  EXPECT_EQ(nearest_word("epoch", {"batch", "epochs", "patience"}), "epochs");
  EXPECT_EQ(nearest_word("bacth", {"batch", "epochs"}), "batch");
  EXPECT_EQ(nearest_word("width", {"batch", "epochs"}), "");
  EXPECT_EQ(nearest_word("ab", {"xy"}), "");  // nothing in common
  EXPECT_EQ(nearest_word("a", {}), "");
}

}  // namespace
}  // namespace linn
