// What Reasoner::learn() and Recommender::learn() share.
#pragma once

#include <filesystem>
#include <string>

#include "linn/base/context.h"
#include "linn/linn.h"
#include "linn/model/run_config.h"
#include "linn/train/model_kind.h"
#include "linn/train/training_run.h"

namespace linn {

// The model file of a run folder, or the given file itself.
std::filesystem::path model_file(const std::filesystem::path& run_or_file);

// LearnOptions, checked and translated.
struct TrainingSetup {
  // Settings start from `base` or, if it is null, from the preset. Throws InputError for an invalid setting, and if the
  // run to be resumed has other settings.
  TrainingSetup(const LearnOptions& options, const ModelKind& kind, std::string_view task, const std::string& data,
                const DataSize& size, const Settings* base = nullptr);

  std::unique_ptr<Settings> settings;
  RunConfig config;
  RunPlace place;
};

// Forwards the progress of the context to the callback of the options.
void forward_progress(Context& context, const LearnOptions& options);

// `validation`: the metrics of the returned model.
TrainingSummary summary_of(const TrainingReport& report, std::map<std::string, double> validation);

// An error about one of many queries, with its number, counted from 1, as the line.
InputError for_query(const InputError& error, std::size_t index);

}  // namespace linn
