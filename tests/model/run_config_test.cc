#include "linn/model/run_config.h"

#include <gtest/gtest.h>

#include <string>

#include "support/expect_error.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

TEST(RunConfig, ReadsOnlyWhatLinnWrites) {
  const TempFolder folder;
  RunFolder run = RunFolder::create(folder.path(), "{}", false);
  const Json good = Json::parse(
      R"({"task": "recommend", "model": "linn", "data": "d", "seed": 3, "options": {"d": "8"}, "snapshots": "1"})");
  run.replace_config(good.dump());
  EXPECT_EQ(read_config(run), good);

  const auto expect_rejected = [&](const std::string& text) {
    run.replace_config(text);
    expect_input_error([&] { read_config(run); }, 0, 0, "expected the configuration of a run",
                       run.config_path().string());
  };
  for (const char* text : {"", "{", "[]", "null", "{}"}) expect_rejected(text);
  for (const char* key : {"task", "model", "data", "seed", "options"}) {
    Json without = good;
    without.erase(key);
    expect_rejected(without.dump());
  }
  for (const char* key : {"task", "model", "data", "seed", "options", "snapshots"}) {
    Json wrong = good;
    wrong[key] = -1;
    expect_rejected(wrong.dump());
  }
  Json number = good;
  number["options"]["d"] = 8;
  expect_rejected(number.dump());
}

}  // namespace
}  // namespace linn
