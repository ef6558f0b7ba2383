// What long work is given from outside: where randomness comes from, who does the work, and who is told how far it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "linn/base/random.h"
#include "linn/base/thread_pool.h"

namespace linn {

struct Progress {
  std::string_view what;  // such as "pre-training"
  std::size_t done = 0;
  std::size_t total = 0;
  double value = 0.0;          // the loss
  std::string_view note = {};  // more to tell, such as how the last epoch went
};

class Context {
 public:
  // 0 threads: as many as there are cores.
  explicit Context(std::uint64_t seed = 0, std::size_t threads = 1) : seed_(seed), pool_(threads) {}

  std::uint64_t seed() const { return seed_; }
  ThreadPool& pool() { return pool_; }

  // Randomness of its own for each consumer, whatever the others draw.
  Random random(std::uint64_t stream) const { return Random(seed_, stream); }

  // Called now and then by long work, from the thread that called it; false asks it to stop at the next good place.
  void set_progress(std::function<bool(const Progress&)> listener) { listener_ = std::move(listener); }
  bool report(const Progress& progress) const { return !listener_ || listener_(progress); }

 private:
  std::uint64_t seed_;
  ThreadPool pool_;
  std::function<bool(const Progress&)> listener_;
};

}  // namespace linn
