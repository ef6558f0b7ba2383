#include "linn/train/training_run.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "linn/base/error.h"
#include "linn/base/file.h"

namespace linn {
namespace {

std::uint64_t epochs_of(const RunConfig& config) {
  for (const auto& [name, value] : config.options) {
    if (name == "epochs") return std::stoull(value);
  }
  return 0;
}

// A place in memory has nothing to resume, even if the working directory, its empty path, is a run.
bool resumes_run(const RunPlace& place) {
  return place.resume && !place.folder.empty() && RunFolder::exists(place.folder);
}

void check_data(const RunPlace& place, const RunConfig& stored, const RunConfig& now) {
  if (place.accept_changed_data || stored.data_checksum.empty() || stored.data_checksum == now.data_checksum) return;
  const auto data_part = [](const std::string& sum) { return sum.substr(0, sum.find('-')); };
  if (data_part(stored.data_checksum) == data_part(now.data_checksum)) {
    throw InputError("the run that this one started from has changed since; start a new run, or accept changed data",
                     Place{now.from, 0, 0});
  }
  throw InputError("the data have changed since this run was started; start a new run, or accept changed data",
                   Place{now.data, 0, 0});
}

// A run to write to, and its configuration if that changes.
struct OpenRun {
  RunFolder folder;
  std::optional<std::string> config = {};
};

OpenRun open_run(const RunPlace& place, const RunConfig& config) {
  if (!resumes_run(place)) return {RunFolder::create(place.folder, config.to_json(), place.force)};
  OpenRun run = {RunFolder::resume(place.folder)};
  const RunConfig stored = read_config(run.folder);
  check_data(place, stored, config);
  RunConfig changed = stored;
  changed.data_checksum = config.data_checksum;
  if (epochs_of(config) >= run.folder.metrics().size()) changed.options = config.options;
  if (changed.to_json() != stored.to_json()) run.config = changed.to_json();
  return run;
}

}  // namespace

std::optional<RunConfig> run_to_resume(const RunPlace& place, std::string_view task) {
  if (!resumes_run(place)) return std::nullopt;
  const RunFolder folder = RunFolder::open(place.folder);
  RunConfig config = read_config(folder);
  require_task(config, task, folder.path());
  return config;
}

TrainingResult train_into(const RunPlace& place, const RunConfig& config, std::shared_ptr<const StartingPoint> start,
                          ProcessGroup& processes, const std::function<TrainingReport(TrainingStore& store)>& train) {
  if (place.folder.empty()) {
    MemoryStore store;
    store.listener = place.listener;
    store.start = std::move(start);
    TrainingReport report = train(store);
    return {std::move(report), store.model()};
  }
  std::optional<OpenRun> run;
  from_first(processes, [&] {
    run.emplace(open_run(place, config));
    return std::string();
  });
  std::optional<FolderStore> own;
  if (run) own.emplace(run->folder, std::move(run->config));
  std::optional<SharedStore> shared;
  if (processes.size() > 1) shared.emplace(processes, run ? &run->folder : nullptr, own ? &*own : nullptr);
  TrainingStore& store = shared ? static_cast<TrainingStore&>(*shared) : *own;
  if (own) store.listener = place.listener;
  store.start = std::move(start);
  TrainingReport report = train(store);
  if (processes.size() == 1) return {std::move(report), SafetensorsFile::read(run->folder.model_path())};
  std::string model = from_first(processes, [&] { return read_file(run->folder.model_path()); });
  return {std::move(report), SafetensorsFile::parse(std::move(model), place.folder / "model.safetensors")};
}

TrainingResult fit_into(const RunPlace& place, const RunConfig& config,
                        const std::function<void(const EpochTask::Write& write)>& fit) {
  TrainingReport report;
  report.best_epoch = report.epochs = 1;
  const bool in_memory = place.folder.empty();
  if (resumes_run(place)) {
    const RunFolder folder = RunFolder::resume(place.folder);
    check_data(place, read_config(folder), config);
    if (folder.has_model()) return {report, SafetensorsFile::read(folder.model_path())};
  } else if (!in_memory) {
    RunFolder::require_free(place.folder, place.force);
  }

  MemoryStore memory;
  const auto start = std::chrono::steady_clock::now();
  fit([&](SafetensorsWriter& out) {
    report.seconds_per_epoch = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (in_memory) {
      memory.save_model(out);
    } else {
      OpenRun run = open_run(place, config);
      if (run.config) run.folder.replace_config(*run.config);
      FolderStore(run.folder).save_model(out);
    }
  });
  if (in_memory) return {report, memory.model()};
  return {report, SafetensorsFile::read(RunFolder::open(place.folder).model_path())};
}

}  // namespace linn
