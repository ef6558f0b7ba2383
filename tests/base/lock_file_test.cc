#include "linn/base/lock_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "linn/base/error.h"
#include "linn/base/file.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

TEST(LockFile, HasOneHolderAtATime) {
  const TempFolder folder;
  auto first = LockFile::take(folder / "lock");
  ASSERT_TRUE(first);
  EXPECT_FALSE(LockFile::take(folder / "lock"));
  EXPECT_FALSE(LockFile::take(folder / "lock", std::chrono::milliseconds(50)));
  first.reset();
  EXPECT_TRUE(LockFile::take(folder / "lock"));
}

TEST(LockFile, CanBeSeenWithoutBeingTaken) {
  const TempFolder folder;
  struct stat status = {};
  auto lock = LockFile::take(folder / "lock");
  ASSERT_EQ(::stat((folder / "lock").c_str(), &status), 0);
  EXPECT_TRUE(is_lock_held(status.st_ino));
  lock.reset();
  EXPECT_FALSE(is_lock_held(status.st_ino));
}

TEST(LockFile, IsReleasedWhenItsProcessIsKilled) {
  const TempFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    const auto lock = LockFile::take(folder / "lock");
    write_file(folder / "taken", "");
    for (;;) pause();
  }
  while (!std::filesystem::exists(folder / "taken")) usleep(1000);
  EXPECT_FALSE(LockFile::take(folder / "lock"));
  kill(child, SIGKILL);
  EXPECT_TRUE(LockFile::take(folder / "lock", std::chrono::seconds(10)));
  waitpid(child, nullptr, 0);
}

TEST(LockFile, CannotBeTakenWhereNothingCanBeWritten) {
  const TempFolder folder;
  EXPECT_THROW(LockFile::take(folder / "missing" / "lock"), Failure);
}

}  // namespace
}  // namespace linn
