#include "linn/kernels/dispatch.h"

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

namespace linn {
namespace {

// Lower bits are better targets, and SupportedAndGeneratedTargets lists from the lowest bit up.
std::vector<std::int64_t> all_targets() {
  const std::vector<std::int64_t> now = hwy::SupportedAndGeneratedTargets();
  // Lifts a restriction for the moment.
  hwy::SetSupportedTargetsForTest(0);
  std::vector<std::int64_t> all = hwy::SupportedAndGeneratedTargets();
  if (now != all && now.size() == 1) hwy::SetSupportedTargetsForTest(now.front());
  return all;
}

}  // namespace

std::vector<std::string> supported_instruction_sets() {
  std::vector<std::string> names;
  for (const std::int64_t target : all_targets()) names.emplace_back(hwy::TargetName(target));
  return names;
}

std::string current_instruction_set() { return hwy::TargetName(hwy::SupportedAndGeneratedTargets().front()); }

bool restrict_instruction_set(std::string_view name) {
  std::int64_t chosen = 0;
  if (!name.empty()) {
    const std::vector<std::int64_t> all = all_targets();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](std::int64_t target) { return name == hwy::TargetName(target); });
    if (found == all.end()) return false;
    chosen = *found;
  }
  hwy::SetSupportedTargetsForTest(chosen);
  // Kernels look the target up again at their next call.
  hwy::GetChosenTarget().DeInit();
  return true;
}

}  // namespace linn
