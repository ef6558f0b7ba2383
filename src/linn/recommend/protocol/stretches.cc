#include "linn/recommend/protocol/stretches.h"

#include <algorithm>
#include <iterator>

namespace linn {
namespace {

// A user's training events, of which the first ones are earlier ones.
struct UserEvents {
  std::span<const Event> all;
  std::size_t earlier = 0;
};

// Adds the stretches of the events whose targets are the likes from event `first` on.
void cut(UserId user, std::span<const Event> events, std::size_t first, std::size_t length,
         std::vector<Stretch>& list) {
  if (events.empty()) return;
  const std::size_t targets = events.size() - 1;  // at most
  const std::size_t step = length == 0 ? std::max<std::size_t>(targets, 1) : length;
  for (std::size_t end = targets % step; end <= targets; end += step) {
    const std::size_t begin = end < step ? 0 : end - step;
    const std::size_t first_target = first > begin ? std::max<std::size_t>(first - begin, 1) : 1;
    const Stretch stretch = {user, events.subspan(begin, end - begin + 1), first_target};
    if (stretch.targets() > 0) list.push_back(stretch);
  }
}

}  // namespace

TrainingStretches::TrainingStretches(const Histories& histories, const HistoryWindow& window) {
  std::vector<UserEvents> users(histories.users());
  if (window.dislikes) {
    for (UserId user = 0; user < users.size(); ++user) {
      users[user] = {histories.training_events(user), histories.earlier_events(user).size()};
    }
  } else {
    std::vector<std::size_t> ends;
    for (UserId user = 0; user < users.size(); ++user) {
      std::ranges::copy_if(histories.training_events(user), std::back_inserter(likes_), &Event::liked);
      ends.push_back(likes_.size());
      users[user].earlier =
          static_cast<std::size_t>(std::ranges::count_if(histories.earlier_events(user), &Event::liked));
    }
    std::size_t begin = 0;
    for (UserId user = 0; user < users.size(); ++user) {
      users[user].all = std::span(likes_).subspan(begin, ends[user] - begin);
      begin = ends[user];
    }
  }
  for (UserId user = 0; user < users.size(); ++user) {
    cut(user, users[user].all.first(users[user].earlier), 1, window.length, list_);
  }
  earlier_ = list_.size();
  for (UserId user = 0; user < users.size(); ++user) {
    if (users[user].all.size() > users[user].earlier) {
      cut(user, users[user].all, users[user].earlier, window.length, list_);
    }
  }
}

}  // namespace linn
