// How many likes are wrong, judged by held-out ones.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace linn {

// A right like is the choice of a liked item among others with the probability p = softmax(scores / t), a wrong one
// tells nothing: all of n items are as likely. The share e of wrong likes is the one under which the likes that were
// added are most likely, (1 - e) p + e / n for each. Models are surer of held-out likes than they should be, which
// would pass for wrong ones; hence the temperature t, which is fitted too. Scores that were learned on pairs fit as
// well, since sigmoid(x - y) is the softmax of two.
class WrongLikes {
 public:
  // The score of the liked item, and behind it those of others. A few thousand are enough; those beyond are left out.
  void add(std::span<const float> scores);
  std::size_t size() const { return starts_.size(); }

  // Zero without any likes.
  double share() const;

 private:
  std::vector<float> scores_;
  std::vector<std::size_t> starts_;  // of each like
};

}  // namespace linn
