#include "linn/data/checksum.h"

#include <gtest/gtest.h>

namespace linn {
namespace {

InteractionData small_data() {
  InteractionData data;
  for (const char* user : {"u", "v"}) data.users.intern(user);
  for (const char* item : {"a", "b", "c"}) data.items.intern(item);
  data.train = {{0, 0, true, 1}, {0, 1, false, 2}, {1, 2, true, 3}};
  data.test = {{1, 0, true, 4}};
  return data;
}

TEST(Checksum, ChangesWithEveryRowOfInteractions) {
  const std::string before = checksum(small_data());
  EXPECT_EQ(checksum(small_data()), before);
  const auto changed = [&](auto change) {
    InteractionData data = small_data();
    change(data);
    return checksum(data);
  };
  EXPECT_NE(changed([](InteractionData& d) { d.train[1].liked = true; }), before);
  EXPECT_NE(changed([](InteractionData& d) { d.train[1].item = 2; }), before);
  EXPECT_NE(changed([](InteractionData& d) { d.train[1].user = 1; }), before);
  EXPECT_NE(changed([](InteractionData& d) { d.train[1].time = 5; }), before);
  EXPECT_NE(changed([](InteractionData& d) { d.validation.swap(d.test); }), before);
  EXPECT_NE(changed([](InteractionData& d) { d.items.intern("d"); }), before);
  EXPECT_EQ(changed([](InteractionData& d) { d.titles = {"x", "y", "z"}; }), before);
  EXPECT_NE(changed([](InteractionData& d) { d.categories = {{"genres", {"x", "", "z"}}}; }), before);
}

TEST(Checksum, ChangesWithEveryEquation) {
  const auto of = [](std::string_view train, std::string_view test) {
    EquationData data;
    data.train = parse_equation_text(train, "train.txt", data.pool);
    data.test = parse_equation_text(test, "test.txt", data.pool);
    return checksum(data);
  };
  const std::string before = of("a & b = T\nc = F\n", "a = T\n");
  EXPECT_EQ(of("a & b = T\n# a remark\nc = F\n", "a = T\n"), before);
  EXPECT_NE(of("a & b = F\nc = F\n", "a = T\n"), before);
  EXPECT_NE(of("a | b = T\nc = F\n", "a = T\n"), before);
  EXPECT_NE(of("a & d = T\nc = F\n", "a = T\n"), before);
  EXPECT_NE(of("a & b = T\nc = F\na = T\n", ""), before);
}

}  // namespace
}  // namespace linn
