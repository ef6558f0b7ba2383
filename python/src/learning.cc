#include "learning.h"

#include <vector>

namespace linn::python {

LearnRequest learn_request(const nb::dict& request) {
  LearnRequest learn;
  LearnOptions& options = learn.options;
  options.model = nb::cast<std::string>(request["model"]);
  options.preset = nb::cast<std::string>(request["preset"]);
  for (const auto& [name, value] : nb::cast<std::map<std::string, std::string>>(request["settings"])) {
    options.settings.emplace(name, value);
  }
  options.seed = nb::cast<std::uint64_t>(request["seed"]);
  options.threads = nb::cast<std::size_t>(request["threads"]);
  options.folder = nb::cast<std::string>(request["folder"]);
  options.resume = nb::cast<bool>(request["resume"]);
  options.force = nb::cast<bool>(request["force"]);
  options.notes = nb::cast<std::map<std::string, std::string>>(request["notes"]);
  learn.on_step = request["on_step"];
  learn.on_epoch = request["on_epoch"];
  return learn;
}

nb::dict to_dict(const TrainedEpoch& epoch) {
  nb::dict result;
  result["epoch"] = epoch.epoch;
  result["loss"] = epoch.loss;
  result["seconds"] = epoch.seconds;
  for (const auto& [name, value] : epoch.validation) result[name.c_str()] = value;
  return result;
}

nb::dict to_dict(const TrainingSummary& summary) {
  nb::dict result;
  result["best_epoch"] = summary.best_epoch;
  result["epochs"] = summary.epochs;
  result["seconds_per_epoch"] = summary.seconds_per_epoch;
  result["cancelled"] = summary.cancelled;
  result["validation"] = nb::cast(summary.validation);
  nb::list history;
  for (const TrainedEpoch& epoch : summary.history) history.append(to_dict(epoch));
  result["history"] = history;
  return result;
}

void LearningJob::work(const LearnOptions& options, const std::function<void(const LearnOptions&)>& learn) {
  std::exception_ptr error;
  try {
    learn(options);
  } catch (...) {
    error = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  error_ = error;
  finished_ = true;
  changed_.notify_all();
}

void LearningJob::run(LearnRequest request, std::function<void(const LearnOptions&)> learn) {
  LearnOptions options = std::move(request.options);
  options.stop = &stop_;
  options.progress = [this, tells = !request.on_step.is_none()](const TrainingProgress& progress) {
    if (tells) {
      const std::lock_guard lock(mutex_);
      step_ = Step{std::string(progress.stage), progress.done, progress.total, progress.loss};
    }
    return !cancelled_.load();
  };
  if (!request.on_epoch.is_none()) {
    options.epoch = [this](const TrainedEpoch& epoch) {
      std::unique_lock lock(mutex_);
      epoch_ = epoch;
      changed_.notify_all();
      changed_.wait(lock, [&] { return !epoch_ || cancelled_.load(); });
      epoch_.reset();
    };
  }
  // The job lives as long as its thread.
  std::thread thread([self = shared_from_this(), options = std::move(options), learn = std::move(learn)] {
    self->work(options, learn);
  });

  std::exception_ptr interrupt;
  try {
    watch(request);
  } catch (...) {
    interrupt = std::current_exception();
  }
  if (!interrupt) {
    const nb::gil_scoped_release release;
    thread.join();
  } else {
    bool finished = false;
    {
      const nb::gil_scoped_release release;
      stop_ = true;
      cancelled_ = true;
      std::unique_lock lock(mutex_);
      changed_.notify_all();
      finished = changed_.wait_for(lock, kPatience, [&] { return finished_; });
    }
    if (finished) {
      const nb::gil_scoped_release release;
      thread.join();
    } else {
      leave(std::move(thread));
    }
    std::rethrow_exception(interrupt);
  }
  if (error_) std::rethrow_exception(error_);
}

// Returns when the training has ended.
void LearningJob::watch(const LearnRequest& request) {
  while (true) {
    bool finished = false;
    {
      const nb::gil_scoped_release release;
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, kBetweenLooks, [&] { return finished_ || epoch_.has_value(); });
      finished = finished_;
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    call_back(request);
    if (finished) return;
  }
}

void LearningJob::call_back(const LearnRequest& request) {
  std::optional<Step> step;
  std::optional<TrainedEpoch> epoch;
  {
    const std::lock_guard lock(mutex_);
    step.swap(step_);
    epoch = epoch_;
  }
  if (step) request.on_step(step->stage, step->done, step->total, step->loss);
  if (!epoch) return;
  const nb::object answer = request.on_epoch(to_dict(*epoch));
  if (answer.ptr() == Py_False) cancelled_ = true;
  const std::lock_guard lock(mutex_);
  epoch_.reset();
  changed_.notify_all();
}

void add_learning(nb::module_& module) {
  const auto list = [](const std::vector<SettingInfo>& settings) {
    nb::list result;
    for (const SettingInfo& setting : settings) {
      nb::dict entry;
      entry["name"] = setting.name;
      entry["help"] = setting.help;
      entry["range"] = setting.range;
      entry["value"] = setting.value;
      result.append(entry);
    }
    return result;
  };
  module.def("reasoner_models", &reasoner_models);
  module.def("recommender_models", &recommender_models);
  module.def("reasoner_settings", [list](const std::string& model, const std::string& preset) {
    return list(reasoner_settings(model, preset));
  });
  module.def("recommender_settings", [list](const std::string& model, const std::string& preset) {
    return list(recommender_settings(model, preset));
  });
}

}  // namespace linn::python
