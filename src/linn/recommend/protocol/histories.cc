#include "linn/recommend/protocol/histories.h"

#include <algorithm>
#include <array>

namespace linn {

Histories::Histories(const InteractionData& data)
    : items_(data.items.size()), categories_(data.categories, data.items.size()) {
  const std::size_t users = data.users.size();
  const std::array<const std::vector<Interaction>*, 3> parts = {&data.train, &data.validation, &data.test};

  // Sorts the rows by user, then by part, keeping the order within a part.
  std::array<std::vector<std::size_t>, 3> at;  // by part and user: where the next row goes
  std::vector<std::size_t> rows(users + 1);
  std::vector<std::size_t> earlier(users);  // rows of each user: they come first
  for (std::size_t i = 0; i < data.earlier; ++i) ++earlier[data.train[i].user];
  for (std::size_t part = 0; part < 3; ++part) {
    at[part].assign(users, 0);
    for (const Interaction& row : *parts[part]) ++at[part][row.user];
  }
  std::size_t next = 0;
  for (UserId user = 0; user < users; ++user) {
    rows[user] = next;
    for (auto& starts : at) {
      const std::size_t count = starts[user];
      starts[user] = next;
      next += count;
    }
  }
  rows[users] = next;
  std::vector<Event> all(next);
  for (std::size_t part = 0; part < 3; ++part) {
    for (const Interaction& row : *parts[part]) all[at[part][row.user]++] = {row.item, row.liked};
  }

  // Removes repeated pairs. By now `at` holds the end of each part.
  events_.reserve(all.size());
  starts_.reserve(users + 1);
  later_at_.reserve(users);
  validation_at_.reserve(users);
  test_at_.reserve(users);
  std::vector<std::uint32_t> last_user(items_, 0);  // by item: the last user with an event of it, plus one
  for (UserId user = 0; user < users; ++user) {
    starts_.push_back(events_.size());
    for (std::size_t i = rows[user]; i < rows[user + 1]; ++i) {
      if (i == rows[user] + earlier[user]) later_at_.push_back(events_.size());
      if (i == at[0][user]) validation_at_.push_back(events_.size());
      if (i == at[1][user]) test_at_.push_back(events_.size());
      if (last_user[all[i].item] == user + 1) continue;
      last_user[all[i].item] = user + 1;
      events_.push_back(all[i]);
    }
    if (rows[user] + earlier[user] == rows[user + 1]) later_at_.push_back(events_.size());
    if (at[0][user] == rows[user + 1]) validation_at_.push_back(events_.size());
    if (at[1][user] == rows[user + 1]) test_at_.push_back(events_.size());
  }
  starts_.push_back(events_.size());
}

std::span<const Event> Histories::events(UserId user) const {
  return std::span(events_).subspan(starts_[user], starts_[user + 1] - starts_[user]);
}

std::span<const Event> Histories::training_events(UserId user) const {
  return std::span(events_).subspan(starts_[user], validation_at_[user] - starts_[user]);
}

std::span<const Event> Histories::earlier_events(UserId user) const {
  return std::span(events_).subspan(starts_[user], later_at_[user] - starts_[user]);
}

std::vector<Example> Histories::examples(Split split) const {
  std::vector<Example> list;
  for (UserId user = 0; user < users(); ++user) {
    const std::size_t start = starts_[user];
    std::size_t begin = start;
    std::size_t end = validation_at_[user];
    if (split == Split::kValidation) {
      begin = end;
      end = test_at_[user];
    } else if (split == Split::kTest) {
      begin = test_at_[user];
      end = starts_[user + 1];
    }
    for (std::size_t i = std::max(begin, start + 1); i < end; ++i) {
      if (events_[i].liked) list.push_back({user, static_cast<std::uint32_t>(i - start)});
    }
  }
  return list;
}

void HistoryWindow::cut(std::span<const Event> history, std::vector<Event>& out) const {
  if (dislikes) {
    if (length > 0 && history.size() > length) history = history.last(length);
    out.insert(out.end(), history.begin(), history.end());
    return;
  }
  const std::size_t first = out.size();
  for (std::size_t i = history.size(); i-- > 0;) {
    if (length > 0 && out.size() - first == length) break;
    if (history[i].liked) out.push_back(history[i]);
  }
  std::reverse(out.begin() + static_cast<std::ptrdiff_t>(first), out.end());
}

}  // namespace linn
