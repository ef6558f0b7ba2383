// Work that takes longer than a request should, on a thread of its own, and answers that are made once and kept.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "app/serve/http_message.h"

namespace linn::app {

// Does one piece of work after the other. The destructor waits for the one under way and drops the rest.
class Background {
 public:
  Background();
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  void add(std::function<void()> work);
  // Long work asks now and then, and gives up.
  bool stopping() const { return stopping_; }

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> waiting_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

// Whoever asks first has it made; those who ask meanwhile wait for the same answer without holding a thread.
class KeptAnswer : public std::enable_shared_from_this<KeptAnswer> {
 public:
  // A Problem from `make` is answered, and not kept.
  void get(Background& background, std::function<HttpResponse()> make, Respond respond);

 private:
  void finish(HttpResponse answer, bool keep);

  std::mutex mutex_;
  std::optional<HttpResponse> answer_;
  std::vector<Respond> waiting_;
};

// The response for what `make` throws, or what it returns.
HttpResponse answer_of(const std::function<HttpResponse()>& make);

}  // namespace linn::app
