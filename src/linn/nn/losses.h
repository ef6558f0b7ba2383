// Losses of the task. Each takes the scores of expressions (before the sigmoid), writes the gradients of the scores and
// returns the loss, summed over the batch as in the paper.
#pragma once

#include <cstddef>
#include <span>

namespace linn {

// The label noise e is the share of labels expected to be wrong: a label is 1 with probability
// q = (1 - e) p + e (1 - p), where p is the truth.

// -sum of y log q + (1 - y) log(1 - q), labels in [0, 1].
double cross_entropy(std::span<const float> scores, std::span<const float> labels, double label_noise,
                     std::span<float> d_scores);

// The expected log loss of the labels where the truth p of each expression is a degree of belief: -log(1 - e) with the
// probability that the label is right, -log e otherwise. Unlike the cross entropy, which is the log of that
// expectation, it grows only linearly where a belief contradicts a label. The label noise must be above 0.
double expected_log_loss(std::span<const float> scores, std::span<const float> labels, double label_noise,
                         std::span<float> d_scores);

// The weighted sum of p log p + (1 - p) log(1 - p).
double negative_entropy(std::span<const float> scores, std::span<const float> weights, std::span<float> d_scores);

// The expected number of wrong labels, given the truth p of each expression and the share of wrong labels overall.
double expected_wrong_labels(std::span<const float> p, std::span<const float> labels, double label_noise);

// The label noise after an estimate of it, one step of expectation maximisation: half-way, since the model behind the
// estimate still changes, and never so close to 0 or 1/2 that it could not move away again.
double next_label_noise(double label_noise, double estimate);

enum class BprOn { kSimilarity, kScore };

// Bayesian personalised ranking, -sum of log sigmoid(x+ - x-) over pairs, where x is the similarity (paper) or the raw
// score (authors). Scores of the positives first, then those of their negatives in the same order.
double bpr(std::span<const float> scores, BprOn on, std::span<float> d_scores);

// -sum of log of the softmax of the first in each group of `group` scores: one positive, then its negatives.
double sampled_softmax(std::span<const float> scores, std::size_t group, std::span<float> d_scores);

}  // namespace linn
