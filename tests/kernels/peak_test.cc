#include "linn/kernels/peak.h"

#include <gtest/gtest.h>

#include "targets.h"

namespace linn {
namespace {

class PeakOfMachine : public EveryInstructionSet {};
LINN_TEST_EVERY_INSTRUCTION_SET(PeakOfMachine);

TEST_P(PeakOfMachine, IsMeasuredOnAnyNumberOfThreads) {
  for (const std::size_t threads : {0u, 1u, 3u}) {
    const Peak peak = measure_peak(threads, {.seconds = 1e-3, .repetitions = 2});
    // Far below and far above what any machine does.
    EXPECT_GT(peak.fma_loop, 1e-3);
    EXPECT_GT(peak.matmul, 1e-3);
    EXPECT_LT(peak.best(), 1e6);
    EXPECT_GE(peak.best(), peak.fma_loop);
  }
}

}  // namespace
}  // namespace linn
