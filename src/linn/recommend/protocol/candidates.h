// The candidate items among which a held-out item is ranked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "linn/recommend/protocol/histories.h"
#include "linn/recommend/protocol/item_choice.h"
#include "linn/recommend/protocol/ranking_model.h"

namespace linn {

struct CandidateOptions {
  std::size_t count = 100;  // besides the held-out item; 0: all items except the user's other likes
  std::uint64_t seed = 0;
  ItemChoice choice = {};
};

// For every example of a split: the held-out item and distinct random items that the user did not like in any split
// (disliked items may be among them), fewer if there are not enough. Each example's candidates depend only on the seed,
// the user and the item, so all models rank the same candidates. Examples of items that are not to be chosen are left
// out.
class Candidates {
 public:
  Candidates(const Histories& histories, Split split, const CandidateOptions& options = {});

  std::size_t size() const { return examples_.size(); }
  const Example& example(std::size_t i) const { return examples_[i]; }
  std::span<const Example> examples() const { return examples_; }

  // Whether the candidates are all items of the choice, in which case they are not stored.
  bool all() const { return all_; }
  bool allows(ItemId item) const { return choice_.allows(item); }
  // The held-out item, then the others. Requires !all().
  std::span<const ItemId> items(std::size_t i) const {
    return std::span(items_).subspan(starts_[i], starts_[i + 1] - starts_[i]);
  }

 private:
  bool all_;
  ItemChoice choice_;
  std::vector<Example> examples_;
  std::vector<std::size_t> starts_;
  std::vector<ItemId> items_;
};

// Writes a table of names: user, held-out item, other candidates. Requires !all().
void write_candidates(const std::filesystem::path& path, const Candidates& candidates, const Catalogue& catalogue);

}  // namespace linn
