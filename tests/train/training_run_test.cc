#include "linn/train/training_run.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/temp_folder.h"

namespace linn {
namespace {

TEST(TrainingRun, ResumesTheRunInItsFolder) {
  const TempFolder folder;
  const RunConfig config = {std::string(kEquationTask), "linn", "d", 3, {}, {}};
  const RunFolder run = RunFolder::create(folder.path(), config.to_json(), false);
  const auto found = [](const RunPlace& place) { return run_to_resume(place, kEquationTask).has_value(); };
  EXPECT_TRUE(found({.folder = folder.path(), .resume = true}));
  EXPECT_FALSE(found({.folder = folder.path()}));
  EXPECT_FALSE(found({.folder = folder / "other", .resume = true}));

  // A training in memory does not resume the run in the working directory.
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const bool in_memory = found({.folder = {}, .resume = true});
  std::filesystem::current_path(before);
  EXPECT_FALSE(in_memory);
}

}  // namespace
}  // namespace linn
