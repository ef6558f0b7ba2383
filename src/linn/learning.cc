#include "linn/learning.h"

#include "linn/equations/equation_registry.h"
#include "linn/recommend/recommender_registry.h"
#include "linn/train/starting_point.h"

namespace linn {
namespace {

TrainedEpoch epoch_of(const EpochRecord& record) {
  TrainedEpoch epoch = {record.epoch, record.loss, record.seconds, {}};
  for (const Metric& metric : record.validation) epoch.validation[metric.name] = metric.values[0];
  return epoch;
}

template <class Kind>
std::vector<std::string> names_of(const Registry<Kind>& registry) {
  std::vector<std::string> names;
  for (const Kind* kind : registry.kinds()) names.emplace_back(kind->name());
  return names;
}

std::vector<SettingInfo> settings_of(const ModelKind& kind, std::string_view preset, const DataSize& size) {
  const auto settings = kind.preset(preset_of(preset), size);
  std::vector<SettingInfo> list;
  for (const OptionInfo& option : settings->list()) {
    list.push_back({option.name, option.help, option.range, settings->get(option.name)});
  }
  return list;
}

// The sizes of the paper's smaller data sets.
constexpr DataSize kEquations = {3000, 0, 0};
constexpr DataSize kRatings = {100'000, 943, 1682};

}  // namespace

SettingValue::SettingValue(double value) : text_(options_detail::number_text(value)) {}

std::vector<std::string> reasoner_models() { return names_of(equation_registry()); }
std::vector<std::string> recommender_models() { return names_of(recommender_registry()); }
std::vector<SettingInfo> reasoner_settings(std::string_view model, std::string_view preset) {
  return settings_of(equation_registry().require(model), preset, kEquations);
}
std::vector<SettingInfo> recommender_settings(std::string_view model, std::string_view preset) {
  return settings_of(recommender_registry().require(model), preset, kRatings);
}

std::filesystem::path model_file(const std::filesystem::path& run_or_file) {
  if (std::filesystem::is_regular_file(run_or_file)) return run_or_file;
  const RunFolder folder = RunFolder::open(run_or_file);
  if (!folder.has_model()) {
    throw InputError("this run does not have a model yet", Place{folder.path().string(), 0, 0});
  }
  return folder.model_path();
}

TrainingSetup::TrainingSetup(const LearnOptions& options, const ModelKind& kind, std::string_view task,
                             const std::string& data, const DataSize& size, const Settings* base) {
  NamedValues changed;
  for (const auto& [name, value] : options.settings) changed.emplace_back(name, value.text());
  if (base != nullptr) {
    settings = base->clone();
    for (const auto& [name, value] : changed) settings->set(name, value);
    kind.check(*settings);
    check_continued(*base, *settings);
  } else {
    settings = kind.settings(preset_of(options.preset), size, changed);
  }
  config.task = task;
  config.model = kind.name();
  config.data = data;
  config.seed = options.seed;
  config.options = settings->values();
  config.notes = options.notes;
  place.folder = options.folder;
  place.resume = options.resume;
  place.force = options.force;
  if (options.epoch) {
    place.listener = [callback = options.epoch](const EpochRecord& record) { callback(epoch_of(record)); };
  }
  if (std::optional<RunConfig> run = run_to_resume(place, task)) {
    if (run->model == kind.name()) run->options = kind.stored_settings(run->options)->values();
    require_same(*run, config);
  }
}

void forward_progress(Context& context, const LearnOptions& options) {
  if (!options.progress) return;
  // Once cancelled, a training stays cancelled, in pretraining and in training.
  context.set_progress([callback = options.progress, cancelled = false](const Progress& progress) mutable {
    cancelled = cancelled || !callback({progress.what, progress.done, progress.total, progress.value});
    return !cancelled;
  });
}

TrainingSummary summary_of(const TrainingReport& report, std::map<std::string, double> validation) {
  TrainingSummary summary;
  summary.best_epoch = report.best_epoch;
  summary.epochs = report.epochs;
  summary.seconds_per_epoch = report.seconds_per_epoch.value_or(0.0);
  summary.cancelled = report.interrupted;
  summary.validation = std::move(validation);
  for (const EpochRecord& record : report.records) summary.history.push_back(epoch_of(record));
  return summary;
}

InputError for_query(const InputError& error, std::size_t index) {
  return error.in_file(error.place().file, index + 1);
}

}  // namespace linn
