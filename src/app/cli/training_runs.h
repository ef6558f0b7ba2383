// What trainings of both tasks share: models that are fitted at once, and what is said about a training at its end.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "app/cli/program.h"
#include "linn/model/run_folder.h"
#include "linn/train/epoch_loop.h"

namespace linn::app {

// The folder of a run that is made or gone on with.
struct RunPlace {
  std::string out;
  bool resumed = false;  // there is a run, and it is gone on with
  bool force = false;    // one that is there is replaced
};

// Fits a model at once and saves it as a run: `fit()` makes it, `save(model, path, config)` writes it. The folder is
// only touched when there is something to put into it. A run that is gone on with and has its model stays as it is.
template <class Fit, class Save>
TrainingReport fit_at_once(const RunPlace& place, const std::string& config, const Fit& fit, const Save& save) {
  TrainingReport report;
  report.best_epoch = report.epochs = 1;
  if (!place.resumed) {
    RunFolder::require_free(place.out, place.force);
  } else if (std::filesystem::exists(RunFolder::open(place.out).model_path())) {
    return report;
  }
  const auto start = std::chrono::steady_clock::now();
  const auto model = fit();
  report.seconds_per_epoch = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const RunFolder folder =
      place.resumed ? RunFolder::resume(place.out) : RunFolder::create(place.out, config, place.force);
  save(*model, folder.model_path(), folder.config());
  return report;
}

void add_report(Json& object, const TrainingReport& report);
std::string to_text(const TrainingReport& report, bool by_epochs);

}  // namespace linn::app
