#include "linn/cuda/losses.h"

namespace linn::cuda {
namespace {

using Kind = ScoreLoss::Kind;

__device__ double logistic(double x) { return 1.0 / (1.0 + exp(-x)); }
__device__ double log_sigmoid(double x) { return x >= 0.0 ? -log1p(exp(-x)) : x - log1p(exp(x)); }

__device__ double cross_entropy(double score, double y, double e, float& d_score) {
  const double p = logistic(score);
  const double not_p = logistic(-score);
  if (e == 0.0) {
    d_score = static_cast<float>(p - y);
    return -(y * log_sigmoid(score) + (1.0 - y) * log_sigmoid(-score));
  }
  const double q = (1.0 - e) * p + e * not_p;
  const double not_q = (1.0 - e) * not_p + e * p;
  d_score = static_cast<float>((-y / q + (1.0 - y) / not_q) * (1.0 - 2.0 * e) * p * not_p);
  return -(y * log(q) + (1.0 - y) * log(not_q));
}

__device__ double expected_log_loss(double score, double y, double e, float& d_score) {
  const double right_cost = -log1p(-e);
  const double wrong_cost = -log(e);
  const double p = logistic(score);
  const double not_p = logistic(-score);
  const double right = y * p + (1.0 - y) * not_p;
  d_score = static_cast<float>((right_cost - wrong_cost) * (2.0 * y - 1.0) * p * not_p);
  return right_cost * right + wrong_cost * (1.0 - right);
}

__device__ double negative_entropy(double score, double weight, float& d_score) {
  const double p = logistic(score);
  const double not_p = logistic(-score);
  d_score = static_cast<float>(weight * score * p * not_p);
  return weight * (p * log_sigmoid(score) + not_p * log_sigmoid(-score));
}

// The factor on the gradients under label noise, for a choice among `count`; changes the loss to that under noise.
__device__ double noise_factor(double e, u32 count, double& loss) {
  if (e == 0.0) return 1.0;
  const double clean = (1.0 - e) * exp(-loss);
  const double noisy = clean + e / count;
  loss = -log(noisy);
  return clean / noisy;
}

__device__ double bpr_group(const LossView& loss, const float* scores, float* d_scores) {
  const bool similarity = loss.kind == Kind::kBprSimilarity;
  double total = 0.0;
  float d_first = 0.0F;
  for (u32 i = 1; i < loss.group; ++i) {
    double positive = scores[0];
    double negative = scores[i];
    double slope_positive = 1.0;
    double slope_negative = 1.0;
    if (similarity) {
      positive = logistic(positive);
      negative = logistic(negative);
      slope_positive = positive * (1.0 - positive);
      slope_negative = negative * (1.0 - negative);
    }
    double own = -log_sigmoid(positive - negative);
    const double d_difference = -logistic(negative - positive) * noise_factor(loss.label_noise, 2, own);
    total += own;
    d_first += static_cast<float>(d_difference * slope_positive);
    d_scores[i] = static_cast<float>(-d_difference * slope_negative);
  }
  d_scores[0] = d_first;
  return total;
}

__device__ double softmax_group(const LossView& loss, const float* scores, float* d_scores) {
  double largest = scores[0];
  for (u32 i = 1; i < loss.group; ++i) largest = fmax(largest, static_cast<double>(scores[i]));
  double sum = 0.0;
  for (u32 i = 0; i < loss.group; ++i) sum += exp(scores[i] - largest);
  double own = largest + log(sum) - scores[0];
  const double factor = noise_factor(loss.label_noise, loss.group, own);
  for (u32 i = 0; i < loss.group; ++i) {
    const double share = exp(scores[i] - largest) / sum - (i == 0 ? 1.0 : 0.0);
    d_scores[i] = static_cast<float>(factor * share);
  }
  return own;
}

__global__ void score_loss_kernel(LossView loss, const float* scores, float* d_scores, double* values, u32 units) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= units) return;
  switch (loss.kind) {
    case Kind::kCrossEntropy:
      values[i] = cross_entropy(scores[i], loss.label[i], loss.label_noise, d_scores[i]);
      break;
    case Kind::kExpectedLogLoss:
      values[i] = i < loss.labels ? expected_log_loss(scores[i], loss.label[i], loss.label_noise, d_scores[i])
                                  : negative_entropy(scores[i], loss.weight[i - loss.labels], d_scores[i]);
      break;
    case Kind::kBprSimilarity:
    case Kind::kBprScore:
      values[i] = bpr_group(loss, scores + std::size_t{i} * loss.group, d_scores + std::size_t{i} * loss.group);
      break;
    case Kind::kSoftmax:
      values[i] = softmax_group(loss, scores + std::size_t{i} * loss.group, d_scores + std::size_t{i} * loss.group);
      break;
  }
}

}  // namespace

u32 units_of(const LossView& loss) {
  const bool groups = loss.kind != Kind::kCrossEntropy && loss.kind != Kind::kExpectedLogLoss;
  return groups ? loss.scores / loss.group : loss.scores;
}

void score_loss(const Stream& stream, const LossView& loss, const float* scores, float* d_scores, double* values) {
  const u32 units = units_of(loss);
  stream.launch(score_loss_kernel, dim3(blocks_of(units, 128)), 128, 0, loss, scores, d_scores, values, units);
}

}  // namespace linn::cuda
