#include "linn/model/run_config.h"

#include <gtest/gtest.h>

#include <string>

#include "linn/base/json.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

TEST(RunConfig, RoundTrips) {
  const TempFolder folder;
  const RunConfig config = {"recommend", "linn", "d", 3, {{"d", "8"}, {"laws", "0.1"}}, "1,2"};
  const RunConfig read = read_config(RunFolder::create(folder.path(), config.to_json(), false));
  EXPECT_EQ(read.to_json(), config.to_json());
  EXPECT_EQ(read.options, config.options);
  EXPECT_EQ(read.seed, 3U);
}

TEST(RunConfig, ReadsOnlyWhatLinnWrites) {
  const TempFolder folder;
  RunFolder run = RunFolder::create(folder.path(), "{}", false);
  const Json good = Json::parse(RunConfig{"recommend", "linn", "d", 3, {{"d", "8"}}, "1"}.to_json());
  run.replace_config(good.dump());
  EXPECT_NO_THROW(read_config(run));

  const auto expect_rejected = [&](const std::string& text) {
    run.replace_config(text);
    expect_input_error([&] { read_config(run); }, 0, 0, "not the configuration of a run", run.config_path().string());
  };
  for (const char* text : {"", "{", "[]", "null", "{}"}) expect_rejected(text);
  for (const char* key : {"task", "model", "data", "seed"}) {
    Json without = good;
    without.erase(key);
    expect_rejected(without.dump());
  }
  for (const char* key : {"task", "model", "data", "options", "snapshots"}) {
    Json wrong = good;
    wrong[key] = -1;
    expect_rejected(wrong.dump());
  }
  Json number = good;
  number["options"]["d"] = 8;
  expect_rejected(number.dump());
}

// A run of 0.1.0 that was fitted at once had its label noise beside the options.
TEST(RunConfig, ReadsOldLabelNoise) {
  const TempFolder folder;
  RunFolder run = RunFolder::create(folder.path(), "{}", false);
  const auto options = [&](const char* noise) {
    Json json = Json::parse(RunConfig{"equations", "exact", "d", 3, {}, ""}.to_json());
    json.erase("options");
    json["label_noise"] = noise;
    run.replace_config(json.dump());
    return read_config(run).options;
  };
  using Options = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(options("0.1"), (Options{{"learn_label_noise", "false"}, {"label_noise", "0.1"}}));
  EXPECT_EQ(options("auto"), (Options{{"learn_label_noise", "true"}}));
}

TEST(RunConfig, OnlyTheLengthOfAResumedRunMayChange) {
  const RunConfig run = {"recommend", "linn", "d", 3, {{"d", "8"}, {"epochs", "5"}, {"patience", "2"}}, ""};
  RunConfig longer = run;
  longer.options = {{"d", "8"}, {"epochs", "50"}, {"patience", "20"}};
  EXPECT_NO_THROW(require_same(run, longer));
  RunConfig wider = run;
  wider.options[0].second = "16";
  expect_input_error([&] { require_same(run, wider); }, 0, 0, "started with d '8', not '16'");
  RunConfig other = run;
  other.seed = 4;
  expect_input_error([&] { require_same(run, other); }, 0, 0, "seed '3', not '4'");
}

}  // namespace
}  // namespace linn
