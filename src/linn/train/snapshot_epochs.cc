#include "linn/train/snapshot_epochs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "linn/base/error.h"

namespace linn {
namespace {

std::size_t parse_epoch(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw InputError(fmt::format("expected snapshot epochs such as 1,5,20 or every:10, not '{}'", text));
  }
  return value;
}

}  // namespace

SnapshotEpochs::SnapshotEpochs(std::string_view text) {
  constexpr std::string_view kEvery = "every:";
  if (text.empty()) return;
  if (text.starts_with(kEvery)) {
    every_ = parse_epoch(text.substr(kEvery.size()));
    if (every_ == 0) throw InputError("the interval between snapshots must be at least 1 epoch");
    return;
  }
  while (true) {
    const std::size_t comma = text.find(',');
    epochs_.push_back(parse_epoch(text.substr(0, comma)));
    if (comma == std::string_view::npos) return;
    text.remove_prefix(comma + 1);
  }
}

bool SnapshotEpochs::contains(std::size_t epoch) const {
  if (every_ > 0) return epoch % every_ == 0;
  return std::ranges::find(epochs_, epoch) != epochs_.end();
}

}  // namespace linn
