// After which epochs of a training the model is kept aside.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace linn {

class SnapshotEpochs {
 public:
  // None.
  SnapshotEpochs() = default;

  // "1,5,20" for these epochs, 0 being the state before the first one; "every:10" for 0, 10, 20, ...; "" for none.
  // Throws InputError for anything else.
  explicit SnapshotEpochs(std::string_view text);

  bool contains(std::size_t epoch) const;

 private:
  std::vector<std::size_t> epochs_;
  std::size_t every_ = 0;  // 0: only those listed
};

}  // namespace linn
