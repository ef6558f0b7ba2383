// The peak rate at which this machine multiplies and adds: the reference for the speed of a training step.
#pragma once

#include <algorithm>
#include <cstddef>

namespace linn {

// Billions of float32 operations per second, over all threads. A fused multiply-add counts as two.
struct Peak {
  double fma_loop;  // multiply-adds between registers, nothing else
  double matmul;    // the matrix product at a shape that stays in the cache
  double best() const { return std::max(fma_loop, matmul); }
};

struct PeakOptions {
  double seconds = 0.005;  // one repetition: short, so that some run undisturbed on a busy machine
  std::size_t repetitions = 20;
};

// Runs so many threads (at least one) at the same time and takes the best repetition of each kind.
Peak measure_peak(std::size_t threads, const PeakOptions& options = {});

}  // namespace linn
