// The models that are served, by name. With watching, a run that gets a better model is loaded again while the old one
// goes on answering, and then takes its place.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "app/serve/serve_options.h"
#include "app/serve/served_model.h"

namespace linn::app {

class ModelShelf {
 public:
  explicit ModelShelf(const ServeOptions& options);
  ~ModelShelf();
  ModelShelf(const ModelShelf&) = delete;
  ModelShelf& operator=(const ModelShelf&) = delete;

  // Loads every run, and then watches if it is to. Throws InputError if a run cannot be served: if it has no model,
  // unless it is watched and may get one.
  void load();
  // Whether load() has returned.
  bool is_ready() const { return ready_; }

  // Throws Problem 404 for an unknown name, and 503 if there is no model yet.
  std::shared_ptr<const ServedModel> find(const std::string& name) const;
  // The folder of a run. Throws Problem 404 for an unknown name.
  const std::string& run_of(const std::string& name) const;

  // As /v1/models has them.
  Json describe(const std::string& name) const;
  Json describe() const;

  std::uint64_t loads() const { return loads_; }
  std::uint64_t failures() const { return failures_; }
  std::size_t size() const { return slots_.size(); }

 private:
  struct Slot {
    NamedRun run;
    ModelFile seen = {};  // used by the loading thread alone
    std::uint64_t version = 0;
    std::shared_ptr<const ServedModel> model = {};  // guarded by mutex_
  };

  Slot& slot_of(const std::string& name) const;
  std::shared_ptr<const ServedModel> model_of(const Slot& slot) const;
  Json describe(const Slot& slot) const;
  void load(Slot& slot);
  void watch();
  void look_again(Slot& slot);

  const bool watched_;
  const bool quiet_;
  ThreadPool threads_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::atomic<bool> ready_{false};
  std::atomic<std::uint64_t> loads_{0};
  std::atomic<std::uint64_t> failures_{0};

  std::mutex watch_mutex_;
  std::condition_variable watch_end_;
  bool ending_ = false;
  std::thread watcher_;
};

}  // namespace linn::app
