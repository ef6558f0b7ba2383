// What processes send each other in a training step, and how long it takes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "app/bench/fold_speed.h"
#include "app/bench/step_speed.h"
#include "linn/base/process_group.h"
#include "linn/train/shards.h"

namespace linn::app {

struct ExchangeResult {
  std::size_t modules = 0;        // their parameters
  std::size_t rows = 0;           // of tables, that the whole step touches
  std::size_t width = 0;          // numbers in a row
  std::uint64_t sent = 0;         // bytes of this process, per step
  std::uint64_t received = 0;     // bytes
  double seconds = 0.0;           // per step, at the median
  double exchange_seconds = 0.0;  // of that, sending, receiving, and waiting for others to be ready
  double transfer_seconds = 0.0;  // messages of that size between processes that do nothing else, at best
};

// Makes steps in shards, of which each process has as many as others, for about so long. `step` makes one and says how
// many rows it touched.
ExchangeResult measure_exchange(const std::function<std::size_t()>& step, const Shards& shards, double seconds,
                                ProcessGroup& processes);

// The steps of measure_step() and measure_fold_step(), shared by the processes.
ExchangeResult measure_step_exchange(const SpeedCase& speed_case, double seconds, std::uint64_t seed,
                                     ProcessGroup& processes);
ExchangeResult measure_fold_exchange(const FoldSpeedCase& speed_case, double seconds, std::uint64_t seed,
                                     ProcessGroup& processes);

// The least power of two that gives each process a shard.
std::size_t shards_for(const ProcessGroup& processes);

}  // namespace linn::app
