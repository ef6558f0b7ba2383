// Learning on a thread of its own, while the thread that Python called watches for Ctrl-C and calls back.
#pragma once

#include <linn/linn.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "asking.h"
#include "binding.h"

namespace linn::python {

// What Python gives: model, preset, settings as text, and so on.
struct LearnRequest {
  LearnOptions options;
  nb::object on_step;   // None, or called now and then with (stage, done, total, loss)
  nb::object on_epoch;  // None, or called with a dict after each epoch, which waits for it; False ends the training
};
LearnRequest learn_request(const nb::dict& request);

nb::dict to_dict(const TrainedEpoch& epoch);
nb::dict to_dict(const TrainingSummary& summary);

// One training. The library's callbacks run on its thread and only leave messages here; none of them needs the GIL.
class LearningJob : public std::enable_shared_from_this<LearningJob> {
 public:
  // Runs `learn`, which owns all it uses: after an interrupt nobody waits for it longer than a moment. Returns when it
  // has ended; throws what it threw, what a callback threw, or KeyboardInterrupt.
  void run(LearnRequest request, std::function<void(const LearnOptions&)> learn);

 private:
  void work(const LearnOptions& options, const std::function<void(const LearnOptions&)>& learn);
  void watch(const LearnRequest& request);
  void call_back(const LearnRequest& request);

  std::atomic<bool> cancelled_{false};  // what a callback asks for: the best model so far is returned
  std::atomic<bool> stop_{false};       // an interrupt: nobody waits for a model
  std::mutex mutex_;
  std::condition_variable changed_;
  bool finished_ = false;
  std::exception_ptr error_;
  struct Step {
    std::string stage;
    std::size_t done = 0, total = 0;
    double loss = 0.0;
  };
  std::optional<Step> step_;           // the latest one that was not told yet
  std::optional<TrainedEpoch> epoch_;  // the thread of the training waits until it was told
};

// Learns something: `learn` is called with the options on another thread.
template <class Result, class Learn>
Result run_learning(LearnRequest request, Learn learn) {
  auto job = std::make_shared<LearningJob>();
  auto result = std::make_shared<std::optional<Result>>();
  job->run(std::move(request), [result, learn = std::move(learn)](const LearnOptions& options) mutable {
    result->emplace(learn(options));
  });
  return std::move(**result);
}

}  // namespace linn::python
