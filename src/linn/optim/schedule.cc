#include "linn/optim/schedule.h"

#include <algorithm>

#include "linn/base/error.h"

namespace linn {

void check(const Schedule& schedule) {
  if (schedule.kind == ScheduleKind::kConstant) return;
  if (schedule.total_steps == 0) throw InputError("a linear learning-rate schedule needs at least one step");
  if (!(schedule.final_share >= 0 && schedule.final_share <= 1)) {
    throw InputError("the final share of the learning rate must be between 0 and 1");
  }
}

double learning_rate_share(const Schedule& schedule, std::uint64_t step) {
  if (schedule.kind == ScheduleKind::kConstant) return 1;
  const std::uint64_t over = std::min(step - 1, schedule.total_steps);
  const double x = static_cast<double>(over) / static_cast<double>(schedule.total_steps);
  return schedule.final_share + (1 - schedule.final_share) * (1 - x);
}

}  // namespace linn
