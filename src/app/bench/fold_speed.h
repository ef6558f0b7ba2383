// The speed of LINN over whole histories relative to the peak of this machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "linn/train/training_device.h"

namespace linn::app {

struct FoldSpeedCase {
  std::size_t width = 64;
  bool laws = false;         // on one percent of the vectors
  bool mlp_product = false;  // the structure of AND: with hidden units, or the product alone
  std::size_t threads = 1;
};

struct FoldSpeedResult {
  double gflop = 0.0;         // operations per step, in billions
  double seconds = 0.0;       // per step including plan and update, at the median speed
  double plan_seconds = 0.0;  // of that, building the plan
};

// Steps on batches of 32 histories like those of ML-1M, with the softmax over all 3,416 items.
FoldSpeedResult measure_fold_step(const FoldSpeedCase& speed_case, double seconds, std::uint64_t seed,
                                  TrainingDevice* device = nullptr);
std::vector<FoldSpeedCase> fold_speed_cases(std::size_t threads);

// The time of scoring all 3,416 items for a history of 200 events.
FoldSpeedResult measure_fold_query(const FoldSpeedCase& speed_case, double seconds, std::uint64_t seed);

}  // namespace linn::app
