// The losses of scores on the device: the formulas are those of losses.cc and ranking_loss.cc.
#pragma once

#include "linn/cuda/runtime.h"
#include "linn/train/training_device.h"

namespace linn::cuda {

struct LossView {
  ScoreLoss::Kind kind;
  u32 labels;  // scores with labels
  u32 scores;
  u32 group;
  double label_noise;
  const float* label;
  const float* weight;  // of the scores after those with labels
};

// Writes the gradients of the scores, and one value for each of units_of(loss).
void score_loss(const Stream& stream, const LossView& loss, const float* scores, float* d_scores, double* values);
u32 units_of(const LossView& loss);

}  // namespace linn::cuda
