// What Reasoner::learn and Recommender::learn share.
#pragma once

#include <filesystem>
#include <string>

#include "linn/base/context.h"
#include "linn/linn.h"
#include "linn/model/run_config.h"
#include "linn/train/model_kind.h"
#include "linn/train/training_run.h"

namespace linn {

// The model file of a run folder, or the file itself.
std::filesystem::path model_file(const std::filesystem::path& run_or_file);

// A training as LearnOptions describe it.
struct Learning {
  // Throws InputError where a setting, or a run that is resumed, does not fit.
  Learning(const LearnOptions& options, const ModelKind& kind, std::string_view task, const std::string& data,
           const DataSize& size);

  std::unique_ptr<Settings> settings;
  RunConfig config;
  RunPlace place;
};

// Hands progress on to the listener of the options.
void listen(Context& context, const LearnOptions& options);

// `validation` as measured on the kept model.
TrainingSummary summary_of(const TrainingReport& report, std::map<std::string, double> validation);

// For an error about one of many questions: its number, from 1, as the line.
InputError about_question(const InputError& error, std::size_t index);

}  // namespace linn
