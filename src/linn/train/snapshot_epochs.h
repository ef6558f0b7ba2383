// The epochs after which a snapshot of the model is stored.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace linn {

class SnapshotEpochs {
 public:
  // No snapshots.
  SnapshotEpochs() = default;

  // "1,5,20" lists epochs, where 0 is the state before the first one; "every:10" means 0, 10, 20, ...; "" means none.
  // Throws InputError for anything else.
  explicit SnapshotEpochs(std::string_view text);

  bool contains(std::size_t epoch) const;

 private:
  std::vector<std::size_t> epochs_;
  std::size_t every_ = 0;  // 0: only the listed ones
};

}  // namespace linn
