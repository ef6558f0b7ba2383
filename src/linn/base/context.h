// What a long-running computation receives from its caller: the seed, the threads, the processes that it shares the
// work with, and a progress callback.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "linn/base/process_group.h"
#include "linn/base/random.h"
#include "linn/base/thread_pool.h"

namespace linn {

struct Progress {
  std::string_view what;  // such as "pretraining"
  std::size_t done = 0;
  std::size_t total = 0;
  double value = 0.0;          // the loss; NaN if there is none
  std::string_view note = {};  // additional text, such as the metrics of the last epoch
};

class TrainingDevice;

class Context {
 public:
  // 0 threads means one per core. What runs on the pool throws Interrupted once `stop` is set; null: never.
  // `processes` must outlive the context; null: this process works alone.
  explicit Context(std::uint64_t seed = 0, std::size_t threads = 1, const std::atomic<bool>* stop = nullptr,
                   ProcessGroup* processes = nullptr)
      : seed_(seed), pool_(threads, stop), processes_(processes == nullptr ? alone_ : *processes) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  std::uint64_t seed() const { return seed_; }
  ThreadPool& pool() { return pool_; }
  ProcessGroup& processes() { return processes_; }
  // Where networks are trained and evaluated, if it is not the CPU (null): train/training_device.h. It must outlive
  // what was made with this context.
  TrainingDevice* device() const { return device_; }
  void set_device(TrainingDevice* device) { device_ = device; }

  // An independent random stream for each consumer, unaffected by what the others draw.
  Random random(std::uint64_t stream) const { return Random(seed_, stream); }

  // Long computations call the listener periodically, on the thread that started them; when it returns false they stop
  // at the next safe point.
  void set_progress(std::function<bool(const Progress&)> listener) { listener_ = std::move(listener); }
  bool report(const Progress& progress) const { return !listener_ || listener_(progress); }

 private:
  std::uint64_t seed_;
  ThreadPool pool_;
  LoneProcess alone_;
  ProcessGroup& processes_;
  std::function<bool(const Progress&)> listener_;
  TrainingDevice* device_ = nullptr;
};

}  // namespace linn
