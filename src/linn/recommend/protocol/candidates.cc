#include "linn/recommend/protocol/candidates.h"

#include <algorithm>
#include <cassert>
#include <unordered_set>

#include "linn/base/file.h"
#include "linn/base/random.h"
#include "linn/recommend/protocol/likes.h"

namespace linn {
namespace {

// Draws `count` distinct numbers below `bound`, every set equally likely (Floyd's algorithm).
void draw_distinct(Random& random, std::size_t bound, std::size_t count, std::unordered_set<std::size_t>& drawn,
                   std::vector<std::size_t>& out) {
  drawn.clear();
  out.clear();
  for (std::size_t last = bound - count; last < bound; ++last) {
    std::size_t number = random.below(last + 1);
    if (!drawn.insert(number).second) {
      number = last;
      drawn.insert(last);
    }
    out.push_back(number);
  }
}

}  // namespace

Candidates::Candidates(const Histories& histories, Split split, const CandidateOptions& options)
    : all_(options.count == 0), choice_(options.choice), examples_(histories.examples(split)) {
  std::erase_if(examples_, [&](const Example& example) { return !allows(histories.item(example)); });
  if (all_) return;
  std::vector<ItemId> forbidden;
  for (ItemId item = 0; !choice_.is_all() && item < histories.items(); ++item) {
    if (!allows(item)) forbidden.push_back(item);
  }
  starts_.push_back(0);
  items_.reserve(examples_.size() * (std::min(options.count, histories.items()) + 1));
  std::vector<ItemId> gaps;
  std::unordered_set<std::size_t> drawn;
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < examples_.size(); ++i) {
    const UserId user = examples_[i].user;
    if (i == 0 || examples_[i - 1].user != user) {
      gaps = forbidden;
      for (const Event& event : histories.events(user)) {
        if (event.liked && allows(event.item)) gaps.push_back(event.item);
      }
      std::sort(gaps.begin(), gaps.end());
      to_gaps(gaps);
    }
    const ItemId held_out = histories.item(examples_[i]);
    const std::size_t others = histories.items() - gaps.size();
    Random random(options.seed, (std::uint64_t{user} << 32U) | held_out);
    draw_distinct(random, others, std::min(options.count, others), drawn, numbers);
    items_.push_back(held_out);
    for (const std::size_t number : numbers) items_.push_back(unliked_item(gaps, number));
    starts_.push_back(items_.size());
  }
}

void write_candidates(const std::filesystem::path& path, const Candidates& candidates, const Catalogue& catalogue) {
  assert(!candidates.all());
  FileWriter out(path);
  out.write("user\titem\tcandidates\n");
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    std::string line = catalogue.users.name(candidates.example(i).user);
    for (const ItemId item : candidates.items(i)) line.append("\t").append(catalogue.items.name(item));
    out.write(line.append("\n"));
  }
  out.commit();
}

}  // namespace linn
