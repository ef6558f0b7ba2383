#include "app/cli/model_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/cli/settings_file.h"
#include "linn/linn.h"
#include "linn/model/run_config.h"
#include "linn/train/run_data.h"
#include "linn/train/starting_point.h"

namespace linn::app {
namespace {

// Label noise that an estimate starts from.
constexpr const char* kFirstLabelNoise = "0.05";

// Throws InputError if only other models have the setting. A setting that no model has is left to Settings::set, which
// suggests the closest name.
void require_setting(const ModelChoice& choice, const Settings& settings, const std::string& name) {
  if (settings.has(name)) return;
  std::vector<std::string_view> others;
  for (const ModelKind* other : model_kinds(choice.task)) {
    if (other->preset(Preset::kBest, {})->has(name)) others.push_back(other->name());
  }
  if (others.empty()) return;
  throw InputError(fmt::format("the model {} has no setting '{}'; it is a setting of {}", choice.model, name,
                               fmt::join(others, ", ")));
}

std::vector<GivenSetting> label_noise_settings(const std::string& noise, const Settings& known) {
  if (noise.empty()) return {};
  const bool learns = known.has("learn_label_noise");
  if (noise == "auto") {
    if (!learns && known.has("label_noise")) {
      throw InputError("this model cannot estimate the label noise; give --label-noise a share, such as 0.05");
    }
    return {{"label_noise", kFirstLabelNoise}, {"learn_label_noise", "true"}};
  }
  try {
    if (known.has("label_noise")) known.clone()->set("label_noise", noise);
  } catch (const InputError& error) {
    throw InputError(error.message() + "; or auto");
  }
  std::vector<GivenSetting> settings = {{"label_noise", noise}};
  if (learns) settings.push_back({"learn_label_noise", "false"});
  return settings;
}

// One line per setting: name, help, range, and its value in the preset best, and in the others if they differ.
std::string settings_help(std::string_view task, std::string_view model) {
  const auto settings = [&](const char* preset) {
    return task == kEquationTask ? reasoner_settings(model, preset) : recommender_settings(model, preset);
  };
  const std::vector<SettingInfo> best = settings("best");
  const std::vector<SettingInfo> paper = settings("paper");
  const std::vector<SettingInfo> authors = settings("authors");
  std::string text;
  for (std::size_t i = 0; i < best.size(); ++i) {
    std::string value = best[i].value;
    if (value != paper[i].value || value != authors[i].value) {
      value += fmt::format(", paper {}, authors {}", paper[i].value, authors[i].value);
    }
    text += fmt::format("  {:<24} {} ({}): {}\n", best[i].name, best[i].help, best[i].range, value);
  }
  return text;
}

// The settings of all models; models with the same ones share an entry.
std::string all_settings_help(std::string_view task) {
  std::vector<std::pair<std::string, std::string>> entries;  // names of models, and their settings
  for (const ModelKind* kind : model_kinds(task)) {
    const std::string text = settings_help(task, kind->name());
    if (text.empty()) continue;
    const auto known = std::ranges::find(entries, text, &std::pair<std::string, std::string>::second);
    if (known == entries.end()) {
      entries.emplace_back(kind->name(), text);
    } else {
      known->first += fmt::format(", {}", kind->name());
    }
  }
  std::string help = fmt::format(
      "Settings for --set, by model: range and value in the preset best, and in the other presets if they differ "
      "({}):\n",
      task == kEquationTask ? "for 3,000 equations" : "for the 100,000 ratings of ML-100k");
  for (const auto& [models, text] : entries) help += fmt::format("{}\n{}", models, text);
  return help;
}

}  // namespace

std::vector<CLI::Option*> add_model_options(CLI::App& command, ModelChoice& choice) {
  std::vector<Choice<std::string>> models;
  for (const ModelKind* kind : model_kinds(choice.task)) models.push_back({kind->name(), std::string(kind->name())});
  return {add_choice<std::string>(command, "--model", choice.model, models, "The model to train"),
          add_choice<std::optional<Preset>>(
              command, "--preset", choice.preset,
              {{"best", Preset::kBest}, {"paper", Preset::kPaper}, {"authors", Preset::kAuthors}},
              "Settings to start from: the best known, the paper's or those of the authors' program")
              ->default_str("best"),
          command.add_option("--set", choice.settings, "Change a setting of the preset; may be repeated")
              ->type_name("KEY=VALUE")
              ->allow_extra_args(false)};
}

NamedValues ModelOptions::changes(Settings& known) const {
  std::vector<GivenSetting> given;
  if (!config.empty()) given = read_settings_file(config);
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos) throw InputError(fmt::format("--set needs KEY=VALUE, not '{}'", setting));
    given.push_back({setting.substr(0, equals), setting.substr(equals + 1)});
  }
  for (const auto& [name, value] : shortcuts) {
    if (!value.empty()) given.push_back({name, value});
  }
  std::ranges::move(label_noise_settings(label_noise, known), std::back_inserter(given));
  NamedValues changed;
  for (const GivenSetting& setting : given) {
    try {
      require_setting(*this, known, setting.name);
      known.set(setting.name, setting.value);
    } catch (const InputError& error) {
      throw InputError(error.message(), setting.place);
    }
    changed.emplace_back(setting.name, setting.value);
  }
  return changed;
}

std::unique_ptr<Settings> ModelOptions::settings_for(const DataSize& size) const {
  const Preset start = preset_or_best(kind(), preset);
  const NamedValues changed = changes(*kind().preset(start, size));
  return kind().settings(start, size, changed);
}

std::unique_ptr<Settings> ModelOptions::settings_from(const NamedValues& run) const {
  const std::unique_ptr<Settings> base = kind().stored_settings(run);
  std::unique_ptr<Settings> changed = base->clone();
  if (changed->has("epochs")) changed->set("epochs", std::to_string(kContinuedEpochs));
  changes(*changed);
  check_continued(*base, *changed);
  kind().check(*changed);
  return changed;
}

std::vector<CLI::Option*> add_training_options(CLI::App& command, ModelOptions& options) {
  std::vector<CLI::Option*> added = add_model_options(command, options);
  added.push_back(
      command
          .add_option("--config", options.config,
                      "A file of settings: lines KEY = VALUE, or the config.json of a run; --set overrides it")
          ->type_name("FILE"));
  const auto add_shortcut = [&](const char* option, const char* setting, const char* type, const char* help) {
    return command.add_option(option, options.shortcuts[setting], help)->type_name(type);
  };
  if (options.task == kRecommendTask) {
    added.push_back(
        add_shortcut("--form", "form", "dnf|factored|fold", "LINN: how an expression joins history and item"));
    added.push_back(add_shortcut("--order", "clause_order", "1|2", "LINN: most history items in a clause"));
    added.push_back(add_shortcut("--dislikes", "dislikes", "logic|minus|embedding|network|none",
                                 "How disliked items of a history are encoded"));
    added.push_back(command.add_flag_callback(
        "--features", [&options] { options.shortcuts["features"] = "true"; },
        "LINN: items without training events get a vector made from their categories in items.tsv"));
  }
  added.push_back(
      command.add_option("--label-noise", options.label_noise, "Expected share of wrong labels; auto: estimate it")
          ->type_name("P|auto"));
  added.push_back(
      add_shortcut("--ensemble", "ensemble", "K", "Train this many models together and average their answers"));
  add_shortcut("--epochs", "epochs", "N", "Most epochs to train");
  add_shortcut("--patience", "patience", "N", "Stop after this many epochs without improvement on validation data");
  command.footer(all_settings_help(options.task));
  return added;
}

}  // namespace linn::app
