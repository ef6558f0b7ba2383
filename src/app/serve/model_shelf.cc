#include "app/serve/model_shelf.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <utility>

#include "app/serve/problem.h"
#include "linn/base/error.h"
#include "linn/base/options.h"
#include "linn/base/utf8.h"

namespace linn::app {

ModelShelf::ModelShelf(const ServeOptions& options)
    : watched_(options.watch), quiet_(options.quiet), threads_(options.threads) {
  for (const NamedRun& run : options.runs) slots_.push_back(std::make_unique<Slot>(Slot{run}));
}

ModelShelf::~ModelShelf() {
  {
    const std::lock_guard lock(watch_mutex_);
    ending_ = true;
  }
  watch_end_.notify_all();
  if (watcher_.joinable()) watcher_.join();
}

void ModelShelf::load() {
  for (const auto& slot : slots_) {
    if (watched_ && !ModelFile::of(slot->run.run).exists()) {
      static_cast<void>(TrainedRun(slot->run.run));  // there must at least be a run
      continue;
    }
    load(*slot);
  }
  ready_ = true;
  if (watched_) watcher_ = std::thread([this] { watch(); });
}

void ModelShelf::load(Slot& slot) {
  // Before the file is read: if it changes meanwhile, it is read again.
  slot.seen = ModelFile::of(slot.run.run);
  std::shared_ptr<const ServedModel> model =
      std::make_shared<const ServedModel>(slot.run.name, slot.run.run, slot.version + 1, threads_);
  ++slot.version;
  ++loads_;
  const std::lock_guard lock(mutex_);
  slot.model.swap(model);  // the old one ends after the lock, or with the last request that asks it
}

void ModelShelf::watch() {
  constexpr std::chrono::milliseconds kPause(500);
  std::unique_lock lock(watch_mutex_);
  while (!watch_end_.wait_for(lock, kPause, [&] { return ending_; })) {
    for (const auto& slot : slots_) look_again(*slot);
  }
}

void ModelShelf::look_again(Slot& slot) {
  const ModelFile now = ModelFile::of(slot.run.run);
  if (!now.exists() || now == slot.seen) return;
  try {
    load(slot);
    if (!quiet_) {
      std::fputs(fmt::format("linn: {}: loaded a new model, version {}\n", slot.run.name, slot.version).c_str(),
                 stderr);
    }
  } catch (const std::exception& error) {
    ++failures_;
    constexpr std::size_t kLongest = 1000;
    std::fputs(fmt::format("linn: {}: the new model cannot be loaded, the old one stays: {}\n", slot.run.name,
                           printable(error.what(), kLongest))
                   .c_str(),
               stderr);
  }
}

ModelShelf::Slot& ModelShelf::slot_of(const std::string& name) const {
  std::vector<std::string> known;
  for (const auto& slot : slots_) {
    if (slot->run.name == name) return *slot;
    known.push_back(slot->run.name);
  }
  const std::string near = nearest_word(name, known);
  constexpr std::size_t kMaxShown = 100;
  throw Problem(404, fmt::format("there is no model '{}'{}", printable(name, kMaxShown),
                                 near.empty() ? "" : fmt::format(", did you mean '{}'?", near)));
}

std::shared_ptr<const ServedModel> ModelShelf::model_of(const Slot& slot) const {
  const std::lock_guard lock(mutex_);
  return slot.model;
}

std::shared_ptr<const ServedModel> ModelShelf::find(const std::string& name) const {
  const Slot& slot = slot_of(name);
  auto model = model_of(slot);
  if (!model) {
    throw Problem(503, ready_ ? fmt::format("the run '{}' has no model yet: its first epoch is not over", name)
                              : fmt::format("the model '{}' is still being loaded", name))
        .with_header("Retry-After", "1");
  }
  return model;
}

const std::string& ModelShelf::run_of(const std::string& name) const { return slot_of(name).run.run; }

Json ModelShelf::describe(const Slot& slot) const {
  const auto model = model_of(slot);
  Json object;
  if (model) {
    object = model->description();
  } else {
    object = {{"name", slot.run.name}, {"ready", false}};
    try {
      const RunConfig config = TrainedRun(slot.run.run).config;
      object["task"] = config.task;
      object["model"] = config.model;
    } catch (const InputError&) {  // the folder is being changed
    }
  }
  object["training"] = is_training(slot.run.run);
  return object;
}

Json ModelShelf::describe(const std::string& name) const { return describe(slot_of(name)); }

Json ModelShelf::describe() const {
  Json models = Json::array();
  for (const auto& slot : slots_) models.push_back(describe(*slot));
  return {{"models", std::move(models)}};
}

}  // namespace linn::app
