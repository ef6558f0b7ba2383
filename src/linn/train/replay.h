// The examples of an epoch that continues a training: all later ones and, against forgetting, a random share of those
// that were there before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "linn/base/random.h"

namespace linn {

class Replay {
 public:
  // The numbers of the examples that were there before, and of the later ones.
  Replay(std::vector<std::uint32_t> earlier, std::vector<std::uint32_t> later, double share);

  // The examples of the next epoch: the same number each time. Draws nothing if there are no earlier examples.
  std::vector<std::uint32_t> draw(Random& random);
  std::size_t size() const { return later_.size() + replayed_; }

 private:
  std::vector<std::uint32_t> earlier_;
  std::vector<std::uint32_t> later_;
  std::size_t replayed_;
};

}  // namespace linn
