#include "app/serve/background.h"

#include <fmt/format.h>

#include <cstdio>
#include <new>
#include <utility>

#include "app/serve/problem.h"
#include "linn/base/utf8.h"

namespace linn::app {

Background::Background() : thread_([this] { run(); }) {}

Background::~Background() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    waiting_.clear();
  }
  wake_.notify_all();
  thread_.join();
}

void Background::add(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    waiting_.push_back(std::move(work));
  }
  wake_.notify_one();
}

void Background::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    const std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

void KeptAnswer::get(Background& background, std::function<HttpResponse()> make, Respond respond) {
  {
    std::unique_lock lock(mutex_);
    if (answer_) {
      HttpResponse copy = *answer_;
      lock.unlock();
      respond(std::move(copy));
      return;
    }
    waiting_.push_back(std::move(respond));
    if (waiting_.size() > 1) return;  // it is being made
  }
  background.add([self = shared_from_this(), make = std::move(make)] {
    HttpResponse answer = answer_of(make);
    const bool keep = answer.status == 200;
    self->finish(std::move(answer), keep);
  });
}

void KeptAnswer::finish(HttpResponse answer, bool keep) {
  std::vector<Respond> waiting;
  {
    const std::lock_guard lock(mutex_);
    waiting.swap(waiting_);
    if (keep) answer_ = answer;
  }
  for (const Respond& respond : waiting) respond(answer);
}

HttpResponse answer_of(const std::function<HttpResponse()>& make) {
  try {
    return make();
  } catch (const Problem& problem) {
    return problem.response();
  } catch (const InputError& error) {
    return Problem(400, error.what()).response();
  } catch (const std::bad_alloc&) {
    return Problem(503, "not enough memory for this request").response();
  } catch (const std::length_error&) {  // more elements than any memory holds
    return Problem(503, "not enough memory for this request").response();
  } catch (const Interrupted&) {  // there was no time left
    return Problem(503, "this request takes too long").with_header("Retry-After", "1").response();
  } catch (const std::exception& error) {
    std::fputs(fmt::format("linn: {}\n", printable(error.what(), 1000)).c_str(), stderr);
    return Problem(500, "this request failed; the log of the service says why").response();
  }
}

}  // namespace linn::app
