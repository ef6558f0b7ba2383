#include "linn/recommend/protocol/history_text.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace linn {
namespace {

Catalogue movies() {
  Catalogue catalogue;
  for (const char* item : {"50", "181", "172", "-7", "a,b"}) catalogue.items.intern(item);
  catalogue.titles = {"Star Wars (1977)", "Twice", "Twice", "Say \"Yes\"", ""};
  return catalogue;
}

std::vector<Event> events(std::string_view text) {
  const Catalogue catalogue = movies();
  return parse_history(text, ItemFinder(catalogue), UnknownItems::kRefuse).events;
}

TEST(HistoryText, ReadsSignsIdentifiersAndTitles) {
  using Events = std::vector<Event>;
  EXPECT_EQ(events("+50,-181,+172"), (Events{{0, true}, {1, false}, {2, true}}));
  EXPECT_EQ(events(" 50 , - 181 "), (Events{{0, true}, {1, false}}));
  EXPECT_EQ(events("-\"Star Wars (1977)\",172"), (Events{{0, false}, {2, true}}));
  EXPECT_EQ(events("Star Wars (1977)"), (Events{{0, true}}));
  EXPECT_EQ(events("--7,+\"Say \"\"Yes\"\"\""), (Events{{3, false}}));  // the first occurrence counts
  EXPECT_EQ(events("\"a,b\""), (Events{{4, true}}));
  EXPECT_EQ(events(""), Events{});
  EXPECT_EQ(events("  "), Events{});
}

TEST(HistoryText, ReportsErrorsWithTheirColumn) {
  expect_input_error([] { events("50,"); }, 0, 4, "expected an item");
  expect_input_error([] { events("50,,181"); }, 0, 4, "expected an item");
  expect_input_error([] { events("+"); }, 0, 2, "expected an item");
  expect_input_error([] { events("\"50"); }, 0, 1, "never closed");
  expect_input_error([] { events("\"50\" 181"); }, 0, 6, "expected a comma");
  expect_input_error([] { events("50,+Twice"); }, 0, 5, "2 items have the title 'Twice', such as 181 and 172");
  expect_input_error([] { events("50,-180"); }, 0, 5, "does not know the item '180', did you mean '181'?");
  expect_input_error([] { events("Star Wars (1978)"); }, 0, 1, "did you mean 'Star Wars (1977)'?");
}

TEST(HistoryText, CanSkipUnknownItems) {
  const Catalogue catalogue = movies();
  const ParsedHistory history = parse_history("+99,-50,\"no such\"", ItemFinder(catalogue), UnknownItems::kSkip);
  EXPECT_EQ(history.events, (std::vector<Event>{{0, false}}));
  EXPECT_EQ(history.skipped, (std::vector<std::string>{"99", "no such"}));
}

TEST(HistoryText, ReadsListsOfItems) {
  const Catalogue catalogue = movies();
  const ItemFinder finder(catalogue);
  EXPECT_EQ(parse_items("172, -7,\"Star Wars (1977)\"", finder), (std::vector<ItemId>{2, 3, 0}));
  expect_input_error([&] { parse_items("50,50", finder); }, 0, 4, "twice");
  expect_input_error([&] { parse_items("51", finder); }, 0, 1, "does not know the item '51'");
}

}  // namespace
}  // namespace linn
