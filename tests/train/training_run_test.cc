#include "linn/train/training_run.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "linn/base/error.h"
#include "linn/base/file.h"
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

// A model is fitted at once; its file here has a single tensor.
TrainingResult fit_value(const RunPlace& place, const RunConfig& config, float value) {
  return fit_into(place, config, [&](const EpochTask::Write& write) {
    SafetensorsWriter out;
    out.add("value", {1}, std::span<const float>(&value, 1));
    write(out);
  });
}

float value_of(const TrainingResult& result) {
  float value = 0.0F;
  result.model.copy("value", {1}, std::span(&value, 1));
  return value;
}

TEST(TrainingRun, FitsAgainWhatAKilledReplacementLeft) {
  const TempFolder folder;
  const RunConfig config = {std::string(kRecommendTask), "itemknn", "d", 3, {}, {}};
  const RunPlace place = {.folder = folder / "run", .resume = true};
  EXPECT_EQ(value_of(fit_value({.folder = folder / "run"}, config, 1.0F)), 1.0F);
  EXPECT_EQ(value_of(fit_value(place, config, 2.0F)), 1.0F);
  EXPECT_TRUE(RunFolder::open(folder / "run").has_model());
  // Killed after it was written down what replaces the run.
  write_file(folder / "run" / "config.next.json", config.to_json());
  EXPECT_FALSE(RunFolder::open(folder / "run").has_model());
  EXPECT_EQ(value_of(fit_value(place, config, 3.0F)), 3.0F);
  EXPECT_FALSE(std::filesystem::exists(folder / "run" / "config.next.json"));
}

TEST(TrainingRun, KeepsTheConfigurationOfARunThatCannotBeResumed) {
  const TempFolder folder;
  RunConfig config = {std::string(kRecommendTask), "bprmf", "d", 3, {}, {}};
  config.data_checksum = "1";
  static_cast<void>(RunFolder::create(folder / "run", config.to_json(), false));
  RunConfig changed = config;
  changed.data_checksum = "2";
  RunPlace place = {.folder = folder / "run", .resume = true};
  place.accept_changed_data = true;
  LoneProcess alone;
  EXPECT_THROW(train_into(place, changed, nullptr, alone,
                          [](TrainingStore&) -> TrainingReport { throw InputError("other items"); }),
               InputError);
  EXPECT_EQ(read_config(RunFolder::open(folder / "run")).data_checksum, "1");
  EXPECT_THROW(train_into(place, changed, nullptr, alone,
                          [](TrainingStore& store) -> TrainingReport {
                            store.keep_records(0);
                            throw Failure("later");
                          }),
               Failure);
  EXPECT_EQ(read_config(RunFolder::open(folder / "run")).data_checksum, "2");
}

}  // namespace
}  // namespace linn
