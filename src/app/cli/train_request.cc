#include "app/cli/train_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/model/run_config.h"

namespace linn::app {
namespace {

// Where an estimate of the label noise begins.
constexpr const char* kFirstLabelNoise = "0.05";
constexpr double kMostLabelNoise = 0.49;

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t") + 1 - begin));
}

// May refuse a setting; the error then names its place in the file.
using SettingCheck = std::function<void(const std::string& name, const std::string& value)>;

void add_checked(const SettingCheck& check, const std::string& name, const std::string& value, const Place& place,
                 NamedValues& settings) {
  try {
    check(name, value);
  } catch (const InputError& error) {
    throw InputError(error.message(), place);
  }
  settings.emplace_back(name, value);
}

NamedValues settings_of_json(const Json& object, const std::filesystem::path& path, const SettingCheck& check) {
  const Json& options = object.contains("options") ? object["options"] : object;
  const Place place = {path.string(), 0, 0};
  if (!options.is_object()) throw InputError("the options must be a JSON object", place);
  NamedValues settings;
  for (const auto& [name, value] : options.items()) {
    if (value.is_structured() || value.is_null()) {
      throw InputError(fmt::format("the value of '{}' must be a number, true, false or text", name), place);
    }
    add_checked(check, name, value.is_string() ? value.get<std::string>() : value.dump(), place, settings);
  }
  return settings;
}

// Lines KEY = VALUE with # for comments, or a JSON object; in a run's config.json the settings are those under "options".
NamedValues read_settings(const std::filesystem::path& path, const SettingCheck& check) {
  const std::string text = read_file(path);
  if (const std::size_t first = text.find_first_not_of(" \t\r\n"); first != std::string::npos && text[first] == '{') {
    Json object;
    try {
      object = Json::parse(text);
    } catch (const Json::parse_error& error) {
      throw InputError(fmt::format("this is not JSON: {}", error.what()), Place{path.string(), 0, 0});
    }
    return settings_of_json(object, path, check);
  }
  NamedValues settings;
  LineReader lines(text, path);
  for (std::string_view line; lines.next(line);) {
    const std::string content = trimmed(line.substr(0, line.find('#')));
    if (content.empty()) continue;
    const Place place = {path.string(), lines.line_number(), 0};
    const std::size_t equals = content.find('=');
    if (equals == std::string::npos || equals == 0) throw InputError("expected KEY = VALUE", place);
    add_checked(check, trimmed(std::string_view(content).substr(0, equals)),
                trimmed(std::string_view(content).substr(equals + 1)), place, settings);
  }
  return settings;
}

// A setting of another model is known, but not for this one.
void require_setting(const TrainRequest& request, const Settings& settings, const std::string& name) {
  if (settings.has(name)) return;
  for (const ModelKind* other : model_kinds(request.task)) {
    if (other->preset(request.preset, {})->has(name)) {
      throw InputError(fmt::format("the model {} has no setting '{}'; {} has", request.model, name, other->name()));
    }
  }
}

void add_label_noise(const std::string& noise, const Settings& known, NamedValues& settings) {
  if (noise.empty()) return;
  const bool learns = known.has("learn_label_noise");
  if (noise == "auto") {
    if (!learns && known.has("label_noise")) {
      throw InputError("this model cannot estimate the label noise; give --label-noise a share, such as 0.05");
    }
    settings.emplace_back("label_noise", kFirstLabelNoise);
    settings.emplace_back("learn_label_noise", "true");
    return;
  }
  try {
    options_detail::parse_number("--label-noise", noise, 0.0, kMostLabelNoise);
  } catch (const InputError& error) {
    throw InputError(error.message() + "; or auto");
  }
  settings.emplace_back("label_noise", noise);
  if (learns) settings.emplace_back("learn_label_noise", "false");
}

// One line per setting: what it is, what it may be, and what it is in the presets best, paper and authors.
std::string settings_help(const ModelKind& kind, const DataSize& size) {
  std::string text;
  const auto best = kind.preset(Preset::kBest, size);
  const auto paper = kind.preset(Preset::kPaper, size);
  const auto authors = kind.preset(Preset::kAuthors, size);
  for (const OptionInfo& option : best->list()) {
    const std::string value = best->get(option.name);
    const bool same = value == paper->get(option.name) && value == authors->get(option.name);
    text += fmt::format("  {:<24} {} ({}): {}\n", option.name, option.help, option.range,
                        same ? value
                             : fmt::format("{}, paper {}, authors {}", value, paper->get(option.name),
                                           authors->get(option.name)));
  }
  return text;
}

// The settings of all models; those with the same text share it.
std::string all_settings_help(std::string_view task) {
  const bool equations = task == kEquationTask;
  const DataSize size = equations ? DataSize{3000, 0} : DataSize{100'000, 943};
  std::vector<std::pair<std::string, std::string>> texts;  // names of models, and their settings
  for (const ModelKind* kind : model_kinds(task)) {
    const std::string text = settings_help(*kind, size);
    if (text.empty()) continue;
    const auto known = std::ranges::find(texts, text, &std::pair<std::string, std::string>::second);
    if (known == texts.end()) {
      texts.emplace_back(kind->name(), text);
    } else {
      known->first += fmt::format(", {}", kind->name());
    }
  }
  std::string help = fmt::format(
      "Settings for --set, by model, with their values in the preset best, and in the others where those differ ({}):\n",
      equations ? "for 3,000 equations" : "for the 100,000 ratings of ML-100k");
  for (const auto& [models, text] : texts) help += fmt::format("{}\n{}", models, text);
  return help;
}

}  // namespace

NamedValues::value_type split_setting(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) throw InputError(fmt::format("--set takes KEY=VALUE, not '{}'", text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::unique_ptr<Settings> TrainRequest::resolve(const DataSize& size) const {
  if (preset_given && !kind().trains_by_epochs()) {
    throw InputError(fmt::format("--preset means nothing to --model {}, which is fitted at once", model));
  }
  const auto probe = kind().preset(preset, size);
  const SettingCheck check = [&](const std::string& name, const std::string& value) {
    require_setting(*this, *probe, name);
    probe->set(name, value);
  };
  NamedValues changed;
  if (!config.empty()) changed = read_settings(config, check);
  for (const std::string& setting : settings) changed.push_back(split_setting(setting));
  for (const auto& [name, value] : shortcuts) {
    if (!value.empty()) changed.emplace_back(name, value);
  }
  add_label_noise(label_noise, *probe, changed);
  for (const auto& [name, value] : changed) check(name, value);
  return kind().settings(preset, size, changed);
}

void add_request_options(CLI::App& command, TrainRequest& request) {
  std::vector<Choice<std::string>> models;
  for (const ModelKind* kind : model_kinds(request.task)) models.push_back({kind->name(), std::string(kind->name())});
  add_choice<std::string>(command, "--model", request.model, models, "The model to train");
  add_choice<Preset>(command, "--preset", request.preset,
                     {{"best", Preset::kBest}, {"paper", Preset::kPaper}, {"authors", Preset::kAuthors}},
                     "Settings to start from")
      ->each([&request](const std::string&) { request.preset_given = true; });
  command
      .add_option("--config", request.config,
                  "Settings from a file: lines KEY = VALUE, or the config.json of a run; --set overrides it")
      ->type_name("FILE");
  command.add_option("--set", request.settings, "Change a setting of the preset; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  const auto shortcut = [&](const char* option, const char* setting, const char* type, const char* help) {
    command.add_option(option, request.shortcuts[setting], help)->type_name(type);
  };
  if (request.task == kRecommendTask) {
    shortcut("--form", "form", "dnf|factored", "LINN: how a history is joined with an item");
    shortcut("--order", "clause_order", "1|2", "LINN: history items that a clause may join with an item");
    shortcut("--dislikes", "dislikes", "logic|minus|embedding|network|none",
             "How the disliked items of a history are read");
  }
  command
      .add_option("--label-noise", request.label_noise, "Share of labels expected to be wrong; auto: estimated")
      ->type_name("P|auto");
  shortcut("--ensemble", "ensemble", "K", "Models that are trained together; their answers are averaged");
  shortcut("--epochs", "epochs", "N", "Epochs at most");
  shortcut("--patience", "patience", "N", "Epochs without a better one before training stops");
  command.footer(all_settings_help(request.task));
}

bool is_configured(const CLI::App& command) {
  static const std::set<std::string> kOptions = {"data",     "model",       "preset",   "config",    "set",
                                                 "form",     "order",       "dislikes", "snapshots", "seed",
                                                 "ensemble", "label-noise"};
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (kOptions.contains(name) && option->count() > 0) return true;
    }
  }
  return false;
}

}  // namespace linn::app
