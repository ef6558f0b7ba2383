#include "linn/base/process_group.h"

#include <gtest/gtest.h>

#include "linn/base/error.h"
#include "support/thread_group.h"

namespace linn {
namespace {

TEST(ProcessGroup, GathersTexts) {
  for (const std::size_t size : {1, 2, 5}) {
    ThreadGroup group(size);
    const auto errors = group.run([&](ProcessGroup& processes) {
      // Of different lengths, also none.
      const std::vector<std::string> texts = gather(processes, std::string(processes.rank(), 'x'));
      ASSERT_EQ(texts.size(), size);
      for (std::size_t rank = 0; rank < size; ++rank) EXPECT_EQ(texts[rank], std::string(rank, 'x'));
    });
    for (const std::string& error : errors) EXPECT_EQ(error, "");
  }
}

TEST(ProcessGroup, OnlyTheFirstMakesTheText) {
  ThreadGroup group(3);
  group.run([&](ProcessGroup& processes) {
    const std::string text = from_first(processes, [&] {
      EXPECT_TRUE(processes.is_first());
      return std::string("made \0 here", 11);
    });
    EXPECT_EQ(text, std::string("made \0 here", 11));
  });
}

TEST(ProcessGroup, AnErrorOfTheFirstIsThrownByAll) {
  ThreadGroup group(3);
  group.run([&](ProcessGroup& processes) {
    try {
      from_first(processes, []() -> std::string { throw InputError("bad", Place{"file", 3, 2}, "a line"); });
      ADD_FAILURE();
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(), InputError("bad", Place{"file", 3, 2}, "a line").what());
      EXPECT_EQ(error.excerpt(), InputError("bad", Place{"file", 3, 2}, "a line").excerpt());
    }
  });
  const auto errors = group.run([&](ProcessGroup& processes) {
    from_first(processes, []() -> std::string { throw Failure("the disk is full"); });
  });
  for (const std::string& error : errors) EXPECT_EQ(error, "the disk is full");
}

TEST(ProcessGroup, TheErrorOfTheLowestRankIsThrownByAll) {
  ThreadGroup group(4);
  const auto errors = group.run([&](ProcessGroup& processes) {
    gather_results(processes, [&]() -> std::string {
      if (processes.rank() >= 2) throw InputError("of " + std::to_string(processes.rank()));
      return "fine";
    });
  });
  for (const std::string& error : errors) EXPECT_EQ(error, "of 2");
}

}  // namespace
}  // namespace linn
