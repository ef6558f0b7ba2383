// How fast this machine multiplies and adds at best: the measure against which a training step's speed is judged.
#pragma once

#include <algorithm>
#include <cstddef>

namespace linn {

// Billions of float32 operations a second, all threads together. A fused multiply-add counts as two.
struct Peak {
  double fma_loop;  // multiply-adds between registers, nothing else
  double matmul;    // the matrix product at a shape that stays in the cache
  double best() const { return std::max(fma_loop, matmul); }
};

struct PeakOptions {
  double seconds = 0.005;  // one repetition: short, so that some meet no other work on a busy machine
  std::size_t repetitions = 20;
};

// Runs that many threads at the same time and takes the best repetition of each kind. At least one thread runs.
Peak measure_peak(std::size_t threads, const PeakOptions& options = {});

}  // namespace linn
