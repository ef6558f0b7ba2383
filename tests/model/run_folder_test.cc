#include "linn/model/run_folder.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "linn/base/error.h"
#include "linn/base/file.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

// Creates a run of three epochs and closes it.
void make_run(const fs::path& path) {
  RunFolder run = RunFolder::create(path, R"({"d":1})", false);
  for (int epoch = 1; epoch <= 3; ++epoch) run.append_metrics(R"({"epoch":)" + std::to_string(epoch) + "}");
  write_file(run.model_path(), "model");
  write_file(run.checkpoint_path(), "checkpoint");
}

void append(const fs::path& path, std::string_view text) { std::ofstream(path, std::ios::app) << text; }

void expect_rejected(const std::function<void()>& action, std::string_view part, const fs::path& path) {
  expect_input_error(action, 0, 0, part, path.string());
}

void expect_failure(const std::function<void()>& action, std::string_view part) {
  try {
    action();
  } catch (const Failure& error) {
    EXPECT_NE(std::string_view(error.what()).find(part), std::string::npos) << error.what();
    return;
  }
  ADD_FAILURE() << "no Failure; expected one with: " << part;
}

TEST(RunFolder, CreatesMissingParents) {
  const TempFolder folder;
  const fs::path path = folder / "runs/2024/first";
  EXPECT_FALSE(RunFolder::exists(path));
  const RunFolder run = RunFolder::create(path, R"({"d":1})", false);
  EXPECT_TRUE(RunFolder::exists(path));
  EXPECT_EQ(run.path(), path);
  EXPECT_EQ(run.config(), "{\"d\":1}\n");
  EXPECT_EQ(read_file(path / "config.json"), "{\"d\":1}\n");
  EXPECT_EQ(run.metrics(), Lines{});
  EXPECT_EQ(run.metrics_path(), path / "metrics.jsonl");
  EXPECT_EQ(run.model_path(), path / "model.safetensors");
  EXPECT_EQ(run.checkpoint_path(), path / "checkpoint.safetensors");
}

TEST(RunFolder, AcceptsAnEmptyFolder) {
  const TempFolder folder;
  RunFolder::create(folder.path(), "{}\n", false);
  EXPECT_EQ(read_file(folder / "config.json"), "{}\n");
}

TEST(RunFolder, AcceptsRemnantsOfARunThatNeverStarted) {
  const TempFolder folder;
  write_file(folder / "run.lock", "");
  write_file(folder / ".linn-123-0.tmp", "half a configuration");
  RunFolder::create(folder.path(), "{}", false);
  EXPECT_FALSE(fs::exists(folder / ".linn-123-0.tmp"));
}

TEST(RunFolder, KeepsAnExistingRun) {
  const TempFolder folder;
  const fs::path path = folder / "run";
  make_run(path);
  expect_rejected([&] { RunFolder::create(path, R"({"d":2})", false); },
                  "already contains a run; resume it, or use force to replace it", path);
  const RunFolder run = RunFolder::open(path);
  EXPECT_EQ(run.config(), "{\"d\":1}\n");
  EXPECT_EQ(run.metrics().size(), 3);
  EXPECT_EQ(read_file(run.model_path()), "model");
}

TEST(RunFolder, ForceReplacesAnExistingRun) {
  const TempFolder folder;
  const fs::path path = folder / "run";
  make_run(path);
  write_file(path / "notes.txt", "mine");
  write_file(path / ".linn-99999-7.tmp", "half a checkpoint");
  const RunFolder run = RunFolder::create(path, R"({"d":2})", true);
  EXPECT_EQ(run.config(), "{\"d\":2}\n");
  EXPECT_EQ(run.metrics(), Lines{});
  EXPECT_FALSE(fs::exists(run.model_path()));
  EXPECT_FALSE(fs::exists(run.checkpoint_path()));
  EXPECT_FALSE(fs::exists(path / ".linn-99999-7.tmp"));
  EXPECT_EQ(read_file(path / "notes.txt"), "mine");
}

TEST(RunFolder, RejectsAFolderWithOtherContents) {
  const TempFolder folder;
  write_file(folder / "thesis.tex", "years of work");
  for (const bool force : {false, true}) {
    expect_rejected([&] { RunFolder::create(folder.path(), "{}", force); }, "contains other files but no run",
                    folder.path());
  }
  // A configuration alone does not make it a run.
  write_file(folder / "config.json", "theirs");
  expect_rejected([&] { RunFolder::create(folder.path(), "{}", true); }, "contains other files", folder.path());
  EXPECT_EQ(read_file(folder / "config.json"), "theirs");
  EXPECT_FALSE(fs::exists(folder / "run.lock"));

  const fs::path file = folder / "thesis.tex";
  expect_rejected([&] { RunFolder::create(file, "{}", true); }, "is not a folder", file);
  EXPECT_EQ(read_file(file), "years of work");
}

TEST(RunFolder, ReportsThatItCannotBeCreated) {
  const TempFolder folder;
  write_file(folder / "file", "");
  expect_failure([&] { RunFolder::create(folder / "file/run", "{}", false); }, "cannot be created");
}

TEST(RunFolder, OpensACopiedRun) {
  const TempFolder folder;
  write_file(folder / "config.json", "{}");
  write_file(folder / "model.safetensors", "model");
  const RunFolder run = RunFolder::open(folder.path());
  EXPECT_EQ(run.config(), "{}");
  EXPECT_EQ(run.metrics(), Lines{});
  // Reading leaves nothing behind.
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 2);
}

TEST(RunFolder, ReportsThatThereIsNoRun) {
  const TempFolder folder;
  for (const auto open : {&RunFolder::open, &RunFolder::resume}) {
    expect_rejected([&] { open(folder / "none"); }, "no such run folder", folder / "none");
    expect_rejected([&] { open(folder.path()); }, "is not a run folder: it has no config.json", folder.path());
  }
  write_file(folder / "file", "");
  expect_rejected([&] { RunFolder::open(folder / "file"); }, "is a file, expected a run folder", folder / "file");
}

TEST(RunFolder, EpochsAreVisibleImmediately) {
  const TempFolder folder;
  RunFolder run = RunFolder::create(folder.path(), "{}", false);
  const RunFolder reader = RunFolder::open(folder.path());
  run.append_metrics(R"({"epoch":1})");
  EXPECT_EQ(read_file(folder / "metrics.jsonl"), "{\"epoch\":1}\n");
  run.append_metrics(R"({"epoch":2})");
  EXPECT_EQ(reader.metrics(), (Lines{R"({"epoch":1})", R"({"epoch":2})"}));
}

TEST(RunFolder, KeepsOnlyTheRequestedEpochs) {
  const TempFolder folder;
  make_run(folder.path());
  RunFolder run = RunFolder::resume(folder.path());
  EXPECT_EQ(run.keep_metrics(5), 3);
  EXPECT_EQ(run.keep_metrics(3), 3);
  EXPECT_EQ(run.keep_metrics(2), 2);
  EXPECT_EQ(run.metrics(), (Lines{R"({"epoch":1})", R"({"epoch":2})"}));
  run.append_metrics(R"({"epoch":3,"again":true})");
  EXPECT_EQ(read_file(folder / "metrics.jsonl"), "{\"epoch\":1}\n{\"epoch\":2}\n{\"epoch\":3,\"again\":true}\n");
  EXPECT_EQ(run.keep_metrics(0), 0);
  EXPECT_EQ(read_file(folder / "metrics.jsonl"), "");
}

TEST(RunFolder, HasNothingToTruncateBeforeTheFirstEpoch) {
  const TempFolder folder;
  RunFolder run = RunFolder::create(folder.path(), "{}", false);
  EXPECT_EQ(run.keep_metrics(4), 0);
  EXPECT_FALSE(fs::exists(run.metrics_path()));
}

TEST(RunFolder, ToleratesATornLastLine) {
  const std::string torn[] = {"{",
                              R"({"epoch":4,"lo)",
                              R"({"epoch":4})",
                              std::string(100, '\0'),
                              "{\"epoch\":4,\n",
                              std::string(10, '\0') + "\n",
                              "4\n",
                              "{} {}\n",
                              "\n"};
  for (const std::string& tail : torn) {
    const TempFolder folder;
    make_run(folder.path());
    append(folder / "metrics.jsonl", tail);
    EXPECT_EQ(RunFolder::open(folder.path()).metrics().size(), 3) << tail;
    EXPECT_TRUE(read_file(folder / "metrics.jsonl").ends_with(tail)) << "reading must change nothing";
    RunFolder run = RunFolder::resume(folder.path());
    run.append_metrics(R"({"epoch":4})");
    EXPECT_EQ(run.metrics().size(), 4) << tail;
    EXPECT_EQ(run.metrics().back(), R"({"epoch":4})");
  }
}

// A file size limit, in a separate process, simulates a full disk.
TEST(RunFolder, LeavesNoPartialLineOnAFullDisk) {
  const TempFolder folder;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    try {
      RunFolder run = RunFolder::create(folder.path(), "{}", false);
      run.append_metrics(R"({"epoch":1})");
      const rlimit limit = {17, 17};
      if (::setrlimit(RLIMIT_FSIZE, &limit) != 0 || std::signal(SIGXFSZ, SIG_IGN) == SIG_ERR) ::_exit(1);
      run.append_metrics(R"({"epoch":2})");
    } catch (const Failure&) {
      ::_exit(0);
    } catch (...) {
    }
    ::_exit(1);
  }
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_file(folder / "metrics.jsonl"), "{\"epoch\":1}\n");
}

TEST(RunFolder, HasOneWriterAtATime) {
  const TempFolder folder;
  std::optional<RunFolder> first = RunFolder::create(folder.path(), "{}", false);
  constexpr std::string_view kBusy = "another process is training into this run folder";
  expect_failure([&] { RunFolder::resume(folder.path()); }, kBusy);
  expect_failure([&] { RunFolder::create(folder.path(), "{}", true); }, kBusy);
  RunFolder::open(folder.path());

  std::optional<RunFolder> moved = std::move(*first);
  first.reset();
  expect_failure([&] { RunFolder::resume(folder.path()); }, kBusy);
  moved = RunFolder::open(folder.path());
  std::optional<RunFolder> second = RunFolder::resume(folder.path());
  expect_failure([&] { RunFolder::resume(folder.path()); }, kBusy);
  second.reset();
  RunFolder::create(folder.path(), "{}", true);
}

TEST(RunFolder, IsUnlockedWhenItsProcessIsKilled) {
  const TempFolder folder;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    try {
      RunFolder run = RunFolder::create(folder.path(), "{}", false);
      run.append_metrics(R"({"epoch":1})");
      if (::write(ready[1], "x", 1) == 1) ::pause();
    } catch (...) {
    }
    ::_exit(1);
  }
  ::close(ready[1]);
  char byte = 0;
  EXPECT_EQ(::read(ready[0], &byte, 1), 1);
  ::close(ready[0]);
  expect_failure([&] { RunFolder::resume(folder.path()); }, "another process");
  ::kill(child, SIGKILL);
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(RunFolder::resume(folder.path()).metrics().size(), 1);
}

TEST(RunFolder, AReplacementThatWasCutOffIsFinished) {
  const TempFolder folder;
  const fs::path path = folder / "run";
  make_run(path);
  write_file(path / "config.next.json", "{\"d\":2}\n");  // as a kill leaves it
  EXPECT_EQ(RunFolder::open(path).config(), "{\"d\":2}\n");
  const RunFolder run = RunFolder::resume(path);
  EXPECT_EQ(read_file(path / "config.json"), "{\"d\":2}\n");
  EXPECT_EQ(run.metrics(), Lines{});
  EXPECT_FALSE(fs::exists(run.model_path()));
  EXPECT_FALSE(fs::exists(path / "config.next.json"));
}

TEST(RunFolder, DoesNotFollowALinkInPlaceOfAnyFile) {
  const TempFolder folder;
  const fs::path path = folder / "run";
  make_run(path);
  write_file(folder / "precious", "precious");
  fs::create_directory(folder / "folder");
  write_file(folder / "folder" / ".linn-1-0.tmp", "precious");
  fs::remove(path / "checkpoint.safetensors");  // with it, what is left of pretraining goes
  fs::remove(path / "config.json");
  fs::create_symlink(folder / "precious", path / "config.json");
  for (const char* name : {"snapshots", "pretraining"}) fs::create_directory_symlink(folder / "folder", path / name);
  {
    RunFolder run = RunFolder::resume(path);
    run.replace_config("{}");
    expect_rejected([&] { run.snapshot_file(1); }, "symbolic link", path / "snapshots");
    expect_rejected([&] { run.pretraining_file(0); }, "symbolic link", path / "pretraining");
  }
  fs::create_symlink(folder / "precious", path / "config.next.json");
  RunFolder::create(path, "{}", true);
  EXPECT_EQ(read_file(folder / "precious"), "precious");
  EXPECT_TRUE(fs::exists(folder / "folder" / ".linn-1-0.tmp"));
}

TEST(RunFolder, DoesNotFollowALinkInPlaceOfItsMetrics) {
  const TempFolder folder;
  const fs::path path = folder / "run";
  make_run(path);
  write_file(folder / "precious", "not JSON");
  fs::remove(path / "metrics.jsonl");
  fs::create_symlink(folder / "precious", path / "metrics.jsonl");
  EXPECT_THROW(RunFolder::resume(path), Failure);
  EXPECT_EQ(read_file(folder / "precious"), "not JSON");
}

TEST(RunFolder, RemovesLeftoversOfSnapshots) {
  const TempFolder folder;
  const fs::path path = folder / "run";
  make_run(path);
  fs::create_directories(path / "snapshots");
  write_file(path / "snapshots" / ".linn-99999-7.tmp", "half a snapshot");
  RunFolder::resume(path);
  EXPECT_FALSE(fs::exists(path / "snapshots" / ".linn-99999-7.tmp"));
}

}  // namespace
}  // namespace linn
