#include "app/cli/training_runs.h"

#include <fmt/format.h>

namespace linn::app {

void add_report(Json& object, const TrainingReport& report) {
  object["epoch"] = report.best_epoch;
  object["epochs"] = report.epochs;
  object["seconds_per_epoch"] = or_null(report.seconds_per_epoch);
  object["interrupted"] = report.interrupted;
}

std::string to_text(const TrainingReport& report, bool by_epochs) {
  const auto seconds = [&](const char* pattern) {
    return report.seconds_per_epoch ? fmt::format(fmt::runtime(pattern), *report.seconds_per_epoch) : std::string();
  };
  if (!by_epochs) return report.seconds_per_epoch ? seconds("fitted in {:.3f} s") : "fitted before";
  return fmt::format("{}best epoch {} of {}{}", report.interrupted ? "interrupted; " : "", report.best_epoch,
                     report.epochs, seconds(", {:.3f} s an epoch"));
}

}  // namespace linn::app
