#include "app/cli/training_forecast.h"

#include <fmt/format.h>

#include <algorithm>

namespace linn::app {
namespace {

// Long enough for a first estimate, short enough to be said before anybody wonders.
constexpr double kMeasuredSeconds = 5.0;
constexpr double kLongSeconds = 120.0;

std::string duration(double seconds) {
  const double minutes = seconds / 60.0;
  return minutes < 90.0 ? fmt::format("{:.0f} minutes", minutes) : fmt::format("{:.1f} hours", minutes / 60.0);
}

bool has(const NamedValues& settings, const std::pair<std::string, std::string>& setting) {
  return std::ranges::find(settings, setting) != settings.end();
}

}  // namespace

std::string faster_options(std::string_view model, const NamedValues& settings) {
  if (has(settings, {"form", "dnf"}) && has(settings, {"clause_order", "1"})) return "--form fold";
  if (model == "sasrec" && has(settings, {"train_on", "likes"})) return "--set train_on=histories";
  return {};
}

std::optional<std::string> TrainingForecast::at(const Progress& progress, std::chrono::steady_clock::time_point now) {
  if (said_ || progress.what != "training") return std::nullopt;
  if (!started_) {  // the first batch, which was measured by nobody
    started_ = now;
    first_done_ = progress.done;
    return std::nullopt;
  }
  const double passed = std::chrono::duration<double>(now - *started_).count();
  if (passed < kMeasuredSeconds || progress.done == first_done_) return std::nullopt;
  said_ = true;
  const double left =
      passed * static_cast<double>(progress.total - progress.done) / static_cast<double>(progress.done - first_done_);
  if (left < kLongSeconds) return std::nullopt;
  return fmt::format("all epochs would take about {}; training ends earlier if validation stops improving{}",
                     duration(left), faster_.empty() ? "" : fmt::format("; {} learns faster", faster_));
}

}  // namespace linn::app
