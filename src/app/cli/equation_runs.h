// From what a user asks for to a model of equations in training.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/cli/program.h"
#include "linn/base/context.h"
#include "linn/data/equations.h"
#include "linn/equations/equation_options.h"
#include "linn/model/run_folder.h"
#include "linn/train/epoch_loop.h"

namespace linn::app {

enum class EquationModelKind : std::uint8_t { kLinn, kLinnWithoutLaws, kBiRnn, kBiLstm, kCnn, kExact, kMajority };

const std::vector<Choice<EquationModelKind>>& equation_models();
bool trains_by_epochs(EquationModelKind model);

// What is to be trained, and how.
struct EquationRequest {
  EquationModelKind model = EquationModelKind::kLinn;
  EquationPreset preset = EquationPreset::kBest;
  std::string config;                 // a file of settings
  std::vector<std::string> settings;  // KEY=VALUE
  // Settings that have options of their own.
  std::string epochs, patience, ensemble, label_noise;

  // Whether anything was asked that only models trained by epochs have.
  bool has_settings() const;
};

// Names and help of all settings.
void add_request_options(CLI::App& command, EquationRequest& request);
std::string equation_settings_help();

// All settings of a model that is trained by epochs, as text: the preset, then the file, then what was set. Throws
// InputError. `equations`: how many there are in all, which the presets look at.
Json settings_of(const EquationRequest& request, std::size_t equations);

// The settings of a run's configuration, each of them checked.
Json checked_settings(EquationModelKind model, const Json& settings);

// Throws InputError if an expression has no normal form of reasonable size, before a folder is made or replaced.
void check_expressions(EquationData& data, EquationModelKind model, const Json& settings);

// Trains by epochs into the folder, or goes on there.
TrainingReport train_by_epochs(EquationModelKind model, const Json& settings, EquationData& data, Context& context,
                               RunFolder& folder, const std::string& snapshots = {});

}  // namespace linn::app
