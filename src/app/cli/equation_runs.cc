#include "app/cli/equation_runs.h"

#include <optional>

#include "app/cli/settings.h"
#include "linn/base/error.h"
#include "linn/equations/train_equations.h"
#include "linn/equations/train_sequence_equations.h"
#include "linn/model/options_json.h"

namespace linn::app {
namespace {

// Set for the models that read equations as sequences.
std::optional<SequenceKind> sequence_kind_of(EquationModelKind model) {
  return sequence_kind(word_of(equation_models(), model));
}

// Everything that was set, in order.
std::vector<std::pair<std::string, std::string>> all_settings(const EquationRequest& request,
                                                              const SettingCheck& check) {
  std::vector<std::pair<std::string, std::string>> result;
  if (!request.config.empty()) result = read_settings(request.config, check);
  for (const std::string& setting : request.settings) result.push_back(split_setting(setting));
  if (!request.epochs.empty()) result.emplace_back("epochs", request.epochs);
  if (!request.patience.empty()) result.emplace_back("patience", request.patience);
  if (!request.ensemble.empty()) result.emplace_back("ensemble", request.ensemble);
  for (auto& setting : label_noise_settings(request.label_noise)) result.push_back(std::move(setting));
  return result;
}

EquationOptions linn_options(const EquationRequest& request, std::size_t equations) {
  return changed_preset(request.preset, equations,
                        all_settings(request, check_against(equation_option_table(), EquationOptions())),
                        request.model == EquationModelKind::kLinnWithoutLaws ? Laws::kLeftOut : Laws::kTaught);
}

SequenceOptions sequence_options(const EquationRequest& request, SequenceKind kind, std::size_t equations) {
  if (request.label_noise == "auto") {
    throw InputError("--label-noise auto is for LINN and the exact reasoner; give this model a share, such as 0.05");
  }
  if (!request.ensemble.empty()) throw InputError("--ensemble is for LINN");
  SequenceOptions options = sequence_preset(kind, request.preset, equations);
  const auto table = sequence_option_table(kind);
  for (const auto& [key, value] : all_settings(request, check_against(table, options))) table.set(options, key, value);
  return options;
}

EquationOptions linn_options(const Json& settings) {
  EquationOptions options;
  settings_from_json(equation_option_table(), settings, options);
  return options;
}

SequenceOptions sequence_options(const Json& settings, SequenceKind kind) {
  SequenceOptions options;
  options.network.kind = kind;
  settings_from_json(sequence_option_table(kind), settings, options);
  return options;
}

}  // namespace

const std::vector<Choice<EquationModelKind>>& equation_models() {
  static const std::vector<Choice<EquationModelKind>> models = {
      {"linn", EquationModelKind::kLinn},        {"linn-rl", EquationModelKind::kLinnWithoutLaws},
      {"bi-rnn", EquationModelKind::kBiRnn},     {"bi-lstm", EquationModelKind::kBiLstm},
      {"cnn", EquationModelKind::kCnn},          {"exact", EquationModelKind::kExact},
      {"majority", EquationModelKind::kMajority}};
  return models;
}

bool trains_by_epochs(EquationModelKind model) {
  return model != EquationModelKind::kExact && model != EquationModelKind::kMajority;
}

bool EquationRequest::has_settings() const {
  return !(settings.empty() && config.empty() && epochs.empty() && patience.empty() && ensemble.empty());
}

void add_request_options(CLI::App& command, EquationRequest& request) {
  add_choice<EquationModelKind>(command, "--model", request.model, equation_models(), "What is trained");
  add_choice<EquationPreset>(
      command, "--preset", request.preset,
      {{"best", EquationPreset::kBest}, {"paper", EquationPreset::kPaper}, {"authors", EquationPreset::kAuthors}},
      "Settings to start from");
  command
      .add_option("--config", request.config,
                  "Settings from a file: lines KEY = VALUE, or the config.json of a run; --set overrides it")
      ->type_name("FILE");
  command.add_option("--set", request.settings, "Change a setting of the preset; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.add_option("--ensemble", request.ensemble, "Networks that are trained, and answer as their mean")
      ->type_name("K");
  command.add_option("--epochs", request.epochs, "Epochs at most")->type_name("N");
  command.add_option("--patience", request.patience, "Epochs without a better one before training stops")
      ->type_name("N");
  command.add_option("--label-noise", request.label_noise, "Share of labels expected to be wrong; auto: estimated")
      ->type_name("P|auto");
}

std::string equation_settings_help() {
  constexpr std::size_t kEquations = 3000;  // as in the paper's smaller set
  const auto sequence_help = [](SequenceKind kind) {
    const auto preset = [&](EquationPreset p) { return sequence_preset(kind, p, kEquations); };
    return settings_help(sequence_option_table(kind), {preset(EquationPreset::kBest), preset(EquationPreset::kPaper),
                                                       preset(EquationPreset::kAuthors)});
  };
  const auto preset = [](EquationPreset p) { return equation_preset(p, kEquations); };
  return fmt::format(
      "Settings for --set, with what they are in the preset best, and in the others where that differs (for 3,000 "
      "equations;\nlinn-rl has laws 0, pretrain_steps 0, module_rate 1 and loss likelihood):\n{}\nwith --model bi-rnn "
      "and bi-lstm:\n{}\nwith --model cnn:\n{}",
      settings_help(equation_option_table(),
                    {preset(EquationPreset::kBest), preset(EquationPreset::kPaper), preset(EquationPreset::kAuthors)}),
      sequence_help(SequenceKind::kBiRnn), sequence_help(SequenceKind::kCnn));
}

Json settings_of(const EquationRequest& request, std::size_t equations) {
  if (const auto kind = sequence_kind_of(request.model)) {
    return options_object(sequence_option_table(*kind), sequence_options(request, *kind, equations));
  }
  return options_object(equation_option_table(), linn_options(request, equations));
}

Json checked_settings(EquationModelKind model, const Json& settings) {
  if (const auto kind = sequence_kind_of(model)) {
    return options_object(sequence_option_table(*kind), sequence_options(settings, *kind));
  }
  return options_object(equation_option_table(), linn_options(settings));
}

void check_expressions(EquationData& data, EquationModelKind model, const Json& settings) {
  const auto kind = sequence_kind_of(model);
  linn::check_expressions(data, kind ? sequence_options(settings, *kind).network.form : linn_options(settings).form);
}

TrainingReport train_by_epochs(EquationModelKind model, const Json& settings, EquationData& data, Context& context,
                               RunFolder& folder, const std::string& snapshots) {
  const SnapshotEpochs kept(snapshots);
  if (const auto kind = sequence_kind_of(model)) {
    return train_sequence_equations(data, sequence_options(settings, *kind), context, folder, kept);
  }
  return train_equations(data, linn_options(settings), context, folder, kept);
}

}  // namespace linn::app
