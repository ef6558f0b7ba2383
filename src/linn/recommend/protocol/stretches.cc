#include "linn/recommend/protocol/stretches.h"

#include <algorithm>
#include <iterator>

namespace linn {
namespace {

void cut(UserId user, std::span<const Event> events, std::size_t length, std::vector<Stretch>& list) {
  if (events.empty()) return;
  const std::size_t targets = events.size() - 1;  // at most
  const std::size_t step = length == 0 ? std::max<std::size_t>(targets, 1) : length;
  for (std::size_t end = targets % step; end <= targets; end += step) {
    const std::size_t begin = end < step ? 0 : end - step;
    const Stretch stretch = {user, events.subspan(begin, end - begin + 1)};
    if (count_targets(stretch.events) > 0) list.push_back(stretch);
  }
}

}  // namespace

TrainingStretches::TrainingStretches(const Histories& histories, const HistoryWindow& window) {
  if (window.dislikes) {
    for (UserId user = 0; user < histories.users(); ++user) {
      cut(user, histories.training_events(user), window.length, list_);
    }
    return;
  }
  std::vector<std::size_t> ends;
  for (UserId user = 0; user < histories.users(); ++user) {
    std::ranges::copy_if(histories.training_events(user), std::back_inserter(likes_), &Event::liked);
    ends.push_back(likes_.size());
  }
  std::size_t begin = 0;
  for (UserId user = 0; user < histories.users(); ++user) {
    cut(user, std::span(likes_).subspan(begin, ends[user] - begin), window.length, list_);
    begin = ends[user];
  }
}

}  // namespace linn
