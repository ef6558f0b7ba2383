#include "linn/kernels/peak.h"

#include <atomic>
#include <chrono>
#include <latch>
#include <thread>
#include <vector>

#include "linn/kernels/matmul.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linn/kernels/peak.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "linn/kernels/lanes_inl.h"

HWY_BEFORE_NAMESPACE();
namespace linn::kernels::HWY_NAMESPACE {

// As many independent sums as fit into the registers besides two constants, to hide the latency of the additions.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
inline constexpr std::size_t kSums = 24;
#else
inline constexpr std::size_t kSums = 12;
#endif

// Repeats sum = sum·factor + term. Returns the number of operations; `result` keeps the compiler from removing the
// work. Each sum starts at another value, or the compiler might compute them all as one.
double fma_loop(std::size_t iterations, float factor, float term, float* result) {
  const Floats d;
  const FloatVector factors = hn::Set(d, factor);
  const FloatVector terms = hn::Set(d, term);
  FloatVector sum[kSums];
  HWY_UNROLL(24)
  for (std::size_t i = 0; i < kSums; ++i) sum[i] = hn::Set(d, term + static_cast<float>(i));
  for (std::size_t n = 0; n < iterations; ++n) {
    HWY_UNROLL(24)
    for (std::size_t i = 0; i < kSums; ++i) sum[i] = hn::MulAdd(sum[i], factors, terms);
  }
  HWY_UNROLL(24)
  for (std::size_t i = 1; i < kSums; ++i) sum[0] = hn::Add(sum[0], sum[i]);
  *result = hn::GetLane(hn::SumOfLanes(d, sum[0]));
  return 2.0 * static_cast<double>(iterations * kSums * kLanes);
}

}  // namespace linn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linn {
namespace kernels {
HWY_EXPORT(fma_loop);
}  // namespace kernels

namespace {

using Clock = std::chrono::steady_clock;

// Multiplies between registers for about ten microseconds per call.
class FmaWork {
 public:
  double operator()() { return HWY_DYNAMIC_DISPATCH(kernels::fma_loop)(2000, 0.999f, 0.001f, &result_); }

 private:
  float result_ = 0;
};

// Operands of about 200 KB, which stay in the second-level cache.
class MatmulWork {
 public:
  MatmulWork() : left_(kRows * kInner, 0.5f), right_(kInner * kColumns, 0.25f), result_(kRows * kColumns) {}
  double operator()() {
    matmul({kRows, kColumns, kInner}, by_rows(left_.data(), kInner), right_.data(), kColumns, result_.data(), kColumns);
    return 2.0 * kRows * kColumns * kInner;
  }

 private:
  static constexpr std::size_t kRows = 96;
  static constexpr std::size_t kColumns = 64;
  static constexpr std::size_t kInner = 256;
  std::vector<float> left_;
  std::vector<float> right_;
  std::vector<float> result_;
};

// Releases the workers at the end of the scope, also after an exception, so that they can be joined.
struct OpenAtExit {
  std::latch& gate;
  ~OpenAtExit() { gate.count_down(); }
};

template <class Work>
double best_rate(std::size_t threads, const PeakOptions& options) {
  struct Worker {
    Work work;
    double operations = 0;
    Clock::time_point begin, end;
  };
  std::vector<Worker> workers(threads);
  const auto duration = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.seconds));
  double best = 0;
  for (std::size_t repetition = 0; repetition < std::max<std::size_t>(options.repetitions, 1); ++repetition) {
    {
      std::latch gate(1);
      std::atomic<std::size_t> ready = 0;
      std::vector<std::jthread> pool;  // after what its threads use, so that they are joined before that goes
      pool.reserve(threads);
      const OpenAtExit open{gate};
      for (Worker& worker : workers) {
        pool.emplace_back([&] {
          worker.operations = 0;
          worker.work();  // brings code and data into the caches
          ready.fetch_add(1);
          gate.wait();
          worker.begin = worker.end = Clock::now();
          do {
            worker.operations += worker.work();
            worker.end = Clock::now();
          } while (worker.end - worker.begin < duration);
        });
      }
      while (ready.load() < threads) std::this_thread::yield();
    }
    double operations = 0;
    Clock::time_point begin = workers.front().begin;
    Clock::time_point end = workers.front().end;
    for (const Worker& worker : workers) {
      operations += worker.operations;
      begin = std::min(begin, worker.begin);
      end = std::max(end, worker.end);
    }
    best = std::max(best, operations / std::chrono::duration<double>(end - begin).count());
  }
  return best * 1e-9;
}

}  // namespace

Peak measure_peak(std::size_t threads, const PeakOptions& options) {
  threads = std::max<std::size_t>(threads, 1);
  return {best_rate<FmaWork>(threads, options), best_rate<MatmulWork>(threads, options)};
}

}  // namespace linn
#endif  // HWY_ONCE
