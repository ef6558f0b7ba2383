#include "app/process/child_pool.h"

#include <gtest/gtest.h>

#include <csignal>
#include <map>

#include "linn/base/error.h"
#include "linn/base/file.h"
#include "support/temp_folder.h"

namespace linn::app {
namespace {

class ChildPools : public testing::Test {
 protected:
  pid_t start(const std::string& program, const std::vector<std::string>& arguments) const {
    return start_child(program, arguments, folder_ / "output", folder_ / "log");
  }

  TempFolder folder_;
};

TEST_F(ChildPools, ReportWhichChildEndedAndItsStatus) {
  ChildPool pool([] { return false; });
  pool.add(start("true", {}), 7);
  pool.add(start("false", {}), 8);
  EXPECT_EQ(pool.size(), 2);
  std::map<std::size_t, int> ends;
  while (!pool.empty()) {
    if (const auto ended = pool.wait()) ends[ended->number] = ended->child.status;
  }
  EXPECT_EQ(ends, (std::map<std::size_t, int>{{7, 0}, {8, 1}}));
  EXPECT_FALSE(pool.stopped());
}

TEST_F(ChildPools, DoNotWriteThroughALink) {
  write_file(folder_ / "precious", "precious");
  std::filesystem::create_symlink("precious", folder_ / "output");
  EXPECT_THROW(start("true", {}), Failure);
  EXPECT_EQ(read_file(folder_ / "precious"), "precious");
}

TEST_F(ChildPools, DoNotWaitForever) {
  bool stop = false;
  ChildPool pool([&] { return stop; });
  pool.add(start("sleep", {"1000"}), 0);
  EXPECT_FALSE(pool.wait().has_value());
  stop = true;
  while (!pool.empty()) pool.wait();
}

TEST_F(ChildPools, EndTheirChildrenWhenStopped) {
  bool stop = false;
  ChildPool pool([&] { return stop; });
  pool.add(start("sleep", {"1000"}), 1);
  EXPECT_FALSE(pool.stopped());
  stop = true;
  EXPECT_TRUE(pool.stopped());
  stop = false;
  EXPECT_TRUE(pool.stopped()) << "for good";
  pool.add(start("sleep", {"1000"}), 2);  // started at the same moment
  std::size_t killed = 0;
  while (!pool.empty()) {
    const auto ended = pool.wait();
    if (ended && ended->child.killed && ended->child.status == 128 + SIGTERM) ++killed;
  }
  EXPECT_EQ(killed, 2);
}

TEST_F(ChildPools, LeaveNoChildBehind) {
  pid_t child = 0;
  {
    ChildPool pool([] { return false; });
    child = start("sleep", {"1000"});
    pool.add(child, 0);
  }
  EXPECT_EQ(kill(child, 0), -1);
}

}  // namespace
}  // namespace linn::app
