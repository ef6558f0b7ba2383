#include "linn/base/thread_pool.h"

#include <algorithm>
#include <string>
#include <utility>

#include "linn/base/error.h"

namespace linn {
namespace {

constexpr int kSpins = 4000;

inline void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

ThreadPool::ThreadPool(std::size_t threads, const std::atomic<bool>* stop, std::size_t most_lanes)
    : interrupt_(stop), most_lanes_(most_lanes) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  workers_.reserve(threads - 1);
  try {
    for (std::size_t i = 1; i < threads; ++i) workers_.emplace_back([this, i] { work(i); });
  } catch (const std::exception& error) {
    stop_workers();  // the ones that started
    throw Failure(std::string("cannot start the threads: ") + error.what());
  }
}

ThreadPool::~ThreadPool() { stop_workers(); }

void ThreadPool::stop_workers() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run_tasks(std::size_t tasks, Call call, void* callable) {
  if (tasks == 0) return;
  call_ = call;
  callable_ = callable;
  tasks_ = tasks;
  next_.store(0, std::memory_order_relaxed);
  // Waking the workers for a single task costs more than it saves.
  const bool alone = tasks == 1 || workers_.empty();
  if (!alone) {
    busy_.store(workers_.size(), std::memory_order_relaxed);
    {
      // Under the lock, so that a worker about to sleep does not miss the wake-up.
      const std::lock_guard lock(mutex_);
      round_.fetch_add(1, std::memory_order_release);
    }
    wake_.notify_all();
  }
  take_tasks(0);
  // The workers are about to finish; yield, so that more threads than cores still make progress.
  for (int spins = 0; !alone && busy_.load(std::memory_order_acquire) != 0; ++spins) {
    if (spins < kSpins) {
      pause_briefly();
    } else {
      std::this_thread::yield();
    }
  }
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void ThreadPool::take_tasks(std::size_t thread) {
  for (;;) {
    const std::size_t task = next_.fetch_add(1, std::memory_order_relaxed);
    if (task >= tasks_) return;
    try {
      if (interrupt_ != nullptr && interrupt_->load(std::memory_order_relaxed)) {
        next_.store(tasks_, std::memory_order_relaxed);
        throw Interrupted();
      }
      call_(callable_, task, thread);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }
}

void ThreadPool::work(std::size_t thread) {
  std::uint64_t done = 0;
  for (;;) {
    for (int spins = 0; spins < kSpins && round_.load(std::memory_order_acquire) == done && !stop_; ++spins) {
      pause_briefly();
    }
    if (round_.load(std::memory_order_acquire) == done) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stop_ || round_.load(std::memory_order_acquire) != done; });
      if (stop_) return;
    }
    done = round_.load(std::memory_order_acquire);
    take_tasks(thread);
    busy_.fetch_sub(1, std::memory_order_release);
  }
}

}  // namespace linn
