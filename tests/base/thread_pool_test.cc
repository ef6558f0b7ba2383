#include "linn/base/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "linn/base/error.h"

namespace linn {
namespace {

// Includes more threads than the machine has cores.
constexpr std::size_t kThreads[] = {1, 2, 3, 8, 16};

TEST(ThreadPool, RunsEveryTaskOnce) {
  for (const std::size_t threads : kThreads) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (const std::size_t tasks : {0, 1, 2, 7, 100, 1000}) {
      std::vector<std::atomic<int>> runs(tasks);
      std::atomic<bool> known_thread = true;
      pool.run(tasks, [&](std::size_t task, std::size_t thread) {
        ++runs[task];
        if (thread >= threads) known_thread = false;
      });
      for (const auto& count : runs) EXPECT_EQ(count, 1);
      EXPECT_TRUE(known_thread);
    }
  }
}

TEST(ThreadPool, NoTwoTasksShareAThreadAtATime) {
  ThreadPool pool(4);
  std::vector<std::atomic<int>> busy(4);
  std::atomic<bool> alone = true;
  pool.run(200, [&](std::size_t, std::size_t thread) {
    if (++busy[thread] != 1) alone = false;
    std::this_thread::yield();
    --busy[thread];
  });
  EXPECT_TRUE(alone);
}

TEST(ThreadPool, ManyRoundsFollowEachOther) {
  for (const std::size_t threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    // Plain memory: the caller and the next round must see what a task wrote.
    std::vector<std::size_t> numbers(8, 0);
    for (int round = 0; round < 2000; ++round) {
      pool.run(numbers.size(), [&](std::size_t task, std::size_t) { ++numbers[task]; });
    }
    EXPECT_EQ(numbers, std::vector<std::size_t>(8, 2000));
  }
}

TEST(ThreadPool, WakesFromSleep) {
  ThreadPool pool(3);
  std::atomic<int> runs = 0;
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    pool.run(6, [&](std::size_t, std::size_t) { ++runs; });
  }
  EXPECT_EQ(runs, 30);
}

TEST(ThreadPool, AnExceptionReachesTheCaller) {
  for (const std::size_t threads : kThreads) {
    ThreadPool pool(threads);
    for (int round = 0; round < 20; ++round) {
      std::atomic<int> runs = 0;
      const auto fail = [&](std::size_t task, std::size_t) {
        ++runs;
        if (task % 5 == 2) throw std::runtime_error("task " + std::to_string(task));
      };
      EXPECT_THROW(pool.run(50, fail), std::runtime_error);
      EXPECT_EQ(runs, 50);  // the other tasks still ran
      runs = 0;
      EXPECT_NO_THROW(pool.run(10, [&](std::size_t, std::size_t) { ++runs; }));
      EXPECT_EQ(runs, 10);
    }
  }
}

TEST(ThreadPool, ZeroMeansOneThreadPerCore) {
  EXPECT_EQ(ThreadPool(0).threads(), std::max(1U, std::thread::hardware_concurrency()));
}

TEST(ThreadPool, EndsWithoutWork) {
  for (int i = 0; i < 50; ++i) ThreadPool pool(4);
}

TEST(ThreadPool, StartsNoTaskOnceItIsStopped) {
  for (const std::size_t threads : {1, 3}) {
    std::atomic<bool> stop = false;
    ThreadPool pool(threads, &stop);
    std::atomic<int> runs = 0;
    const auto work = [&](std::size_t task, std::size_t) {
      ++runs;
      if (task == 2) stop = true;
    };
    EXPECT_THROW(pool.run(100'000, work), Interrupted);
    EXPECT_GE(runs, 3);
    EXPECT_LT(runs, 100'000);
    runs = 0;
    EXPECT_THROW(pool.run(1, work), Interrupted);
    EXPECT_EQ(runs, 0);
    stop = false;
    pool.run(2, work);
    EXPECT_EQ(runs, 2);
  }
}

// Jobs are passed by address: a callable that cannot be copied, and a const one.
TEST(ThreadPool, TakesAnyCallable) {
  ThreadPool pool(2);
  struct Counter {
    Counter() = default;
    Counter(const Counter&) = delete;
    std::atomic<int> runs = 0;
    void operator()(std::size_t, std::size_t) { ++runs; }
  } counter;
  pool.run(5, counter);
  EXPECT_EQ(counter.runs, 5);
  std::atomic<int> runs = 0;
  const auto work = [&](std::size_t, std::size_t) { ++runs; };
  pool.run(5, work);
  EXPECT_EQ(runs, 5);
}

}  // namespace
}  // namespace linn
