// Estimates the label noise of likes from held-out ones.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace linn {

// A correct like chooses the item among n with probability p = softmax(scores / t), a wrong one with probability 1/n.
// The estimate is the share e of wrong likes that maximizes the likelihood, (1 - e) p + e / n for each like. Models are
// overconfident on held-out likes, which would look like noise; hence the temperature t, which is fitted as well.
// Scores trained on pairs fit this model too, since sigmoid(x - y) is a softmax of two.
class LabelNoiseEstimate {
 public:
  // So many likes are enough; further ones are ignored.
  static constexpr std::size_t kMost = 4000;

  // Adds the score of a liked item followed by those of other items.
  void add(std::span<const float> scores);
  std::size_t size() const { return starts_.size(); }

  // The estimated share of wrong likes; 0 if none were added.
  double share() const;

 private:
  std::vector<float> scores_;
  std::vector<std::size_t> starts_;  // of each like in scores_
};

}  // namespace linn
