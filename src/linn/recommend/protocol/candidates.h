// Among which items a held-out one is ranked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "linn/recommend/protocol/histories.h"
#include "linn/recommend/protocol/ranking_model.h"

namespace linn {

struct CandidateOptions {
  std::size_t count = 100;  // 0: all items but the user's other likes
  std::uint64_t seed = 0;
};

// For every example of a split the held-out item and others, all different, that the user never liked anywhere: not in
// training, validation or test rows; disliked ones may be among them. They follow from the histories and the seed
// alone, an example at a time, so every model is asked the same. There are fewer where there are not enough.
class Candidates {
 public:
  Candidates(const Histories& histories, Split split, const CandidateOptions& options = {});

  std::size_t size() const { return examples_.size(); }
  const Example& example(std::size_t i) const { return examples_[i]; }
  std::span<const Example> examples() const { return examples_; }

  // Whether they are all items; then they are not kept.
  bool all() const { return all_; }
  // The held-out item, then the others. Not for all items.
  std::span<const ItemId> items(std::size_t i) const {
    return std::span(items_).subspan(starts_[i], starts_[i + 1] - starts_[i]);
  }

 private:
  bool all_;
  std::vector<Example> examples_;
  std::vector<std::size_t> starts_;
  std::vector<ItemId> items_;
};

// A table: user, held-out item, and the others, by name. Not for all items.
void write_candidates(const std::filesystem::path& path, const Candidates& candidates, const Catalogue& catalogue);

}  // namespace linn
