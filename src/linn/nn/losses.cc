#include "linn/nn/losses.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "linn/base/logistic.h"

namespace linn {
namespace {

// log of the logistic function, without overflow for x far below zero.
double log_sigmoid(double x) { return x >= 0.0 ? -std::log1p(std::exp(-x)) : x - std::log1p(std::exp(x)); }

}  // namespace

double cross_entropy(std::span<const float> scores, std::span<const float> labels, double label_noise,
                     std::span<float> d_scores) {
  assert(scores.size() == labels.size() && scores.size() == d_scores.size());
  const double e = label_noise;
  double loss = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double score = static_cast<double>(scores[i]);
    const double y = static_cast<double>(labels[i]);
    const double p = logistic(score);
    const double not_p = logistic(-score);  // 1 - p would lose all its digits where p is near 1
    if (e == 0.0) {
      loss -= y * log_sigmoid(score) + (1.0 - y) * log_sigmoid(-score);
      d_scores[i] = static_cast<float>(p - y);
      continue;
    }
    const double q = (1.0 - e) * p + e * not_p;
    const double not_q = (1.0 - e) * not_p + e * p;
    loss -= y * std::log(q) + (1.0 - y) * std::log(not_q);
    const double d_q = -y / q + (1.0 - y) / not_q;
    d_scores[i] = static_cast<float>(d_q * (1.0 - 2.0 * e) * p * not_p);
  }
  return loss;
}

double expected_log_loss(std::span<const float> scores, std::span<const float> labels, double label_noise,
                         std::span<float> d_scores) {
  assert(scores.size() == labels.size() && scores.size() == d_scores.size() && label_noise > 0.0);
  const double cost_right = -std::log1p(-label_noise);
  const double cost_wrong = -std::log(label_noise);
  double loss = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double score = static_cast<double>(scores[i]);
    const double y = static_cast<double>(labels[i]);
    const double p = logistic(score);
    const double not_p = logistic(-score);
    const double right = y * p + (1.0 - y) * not_p;
    loss += cost_right * right + cost_wrong * (1.0 - right);
    d_scores[i] = static_cast<float>((cost_right - cost_wrong) * (2.0 * y - 1.0) * p * not_p);
  }
  return loss;
}

double negative_entropy(std::span<const float> scores, std::span<const float> weights, std::span<float> d_scores) {
  assert(scores.size() == weights.size() && scores.size() == d_scores.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double score = static_cast<double>(scores[i]);
    const double weight = static_cast<double>(weights[i]);
    const double p = logistic(score);
    const double not_p = logistic(-score);
    sum += weight * (p * log_sigmoid(score) + not_p * log_sigmoid(-score));
    d_scores[i] = static_cast<float>(weight * score * p * not_p);  // log(p / (1 - p)) is the score itself
  }
  return sum;
}

double expected_wrong_labels(std::span<const float> p, std::span<const float> labels, double label_noise) {
  const double e = label_noise;
  double wrong = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double truth = static_cast<double>(p[i]);
    const double y = static_cast<double>(labels[i]);
    const double right = y * truth + (1.0 - y) * (1.0 - truth);  // how likely the label is if it is not wrong
    const double seen = e * (1.0 - right) + (1.0 - e) * right;
    if (seen > 0.0) wrong += e * (1.0 - right) / seen;
  }
  return wrong;
}

double next_label_noise(double label_noise, double estimate) {
  constexpr double kStep = 0.5;
  constexpr double kLeast = 1e-4;
  constexpr double kMost = 0.45;
  return std::clamp(label_noise + kStep * (estimate - label_noise), kLeast, kMost);
}

double bpr(std::span<const float> scores, BprOn on, std::span<float> d_scores) {
  assert(scores.size() % 2 == 0 && scores.size() == d_scores.size());
  const std::size_t pairs = scores.size() / 2;
  double loss = 0.0;
  for (std::size_t i = 0; i < pairs; ++i) {
    double positive = static_cast<double>(scores[i]);
    double negative = static_cast<double>(scores[pairs + i]);
    double slope_positive = 1.0;
    double slope_negative = 1.0;
    if (on == BprOn::kSimilarity) {
      positive = logistic(positive);
      negative = logistic(negative);
      slope_positive = positive * (1.0 - positive);
      slope_negative = negative * (1.0 - negative);
    }
    loss -= log_sigmoid(positive - negative);
    const double d_difference = -logistic(negative - positive);
    d_scores[i] = static_cast<float>(d_difference * slope_positive);
    d_scores[pairs + i] = static_cast<float>(-d_difference * slope_negative);
  }
  return loss;
}

double sampled_softmax(std::span<const float> scores, std::size_t group, std::span<float> d_scores) {
  assert(group > 0 && scores.size() % group == 0 && scores.size() == d_scores.size());
  double loss = 0.0;
  for (std::size_t first = 0; first < scores.size(); first += group) {
    const auto of_group = scores.subspan(first, group);
    const double largest = static_cast<double>(std::ranges::max(of_group));
    double sum = 0.0;
    for (const float score : of_group) sum += std::exp(static_cast<double>(score) - largest);
    loss -= static_cast<double>(of_group[0]) - largest - std::log(sum);
    for (std::size_t i = 0; i < group; ++i) {
      const double share = std::exp(static_cast<double>(of_group[i]) - largest) / sum;
      d_scores[first + i] = static_cast<float>(share - (i == 0 ? 1.0 : 0.0));
    }
  }
  return loss;
}

}  // namespace linn
