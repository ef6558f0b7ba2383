// Long calls on a thread of their own, while the thread that Python called watches for Ctrl-C.
#pragma once

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "binding.h"

namespace linn::python {

// The time between two looks for Ctrl-C.
inline constexpr std::chrono::milliseconds kBetweenLooks(50);
// How long an interrupted call may take to stop before it is left to itself.
inline constexpr std::chrono::milliseconds kPatience(700);

// Leaves a thread to itself: the process waits for it when it ends, since it uses the library.
void leave(std::thread thread);

// Calls question(stop) without the GIL and returns its answer. Ctrl-C sets `stop`. A question that does not watch it is
// then left to itself, if it owns all it uses; else it is waited for.
template <bool owns, class Question>
auto ask(Question question) {
  using Answer = decltype(question(static_cast<const std::atomic<bool>*>(nullptr)));
  auto stop = std::make_shared<std::atomic<bool>>(false);
  std::packaged_task<Answer()> task([stop, question = std::move(question)] { return question(stop.get()); });
  std::future<Answer> answer = task.get_future();
  std::thread thread(std::move(task));
  const auto ended = [&](std::chrono::milliseconds time) {
    const nb::gil_scoped_release release;
    const bool is_over = answer.wait_for(time) == std::future_status::ready;
    if (is_over) thread.join();
    return is_over;
  };
  while (!ended(kBetweenLooks)) {
    if (PyErr_CheckSignals() == 0) continue;
    const nb::python_error interrupt;
    *stop = true;
    while (!ended(kPatience)) {
      if (!owns) continue;
      leave(std::move(thread));
      break;
    }
    throw nb::python_error(interrupt);
  }
  return answer.get();
}

// A question that uses what its caller owns, such as arrays.
template <class Question>
auto ask_and_wait(Question question) {
  return ask<false>(std::move(question));
}

// A question that owns all it uses.
template <class Question>
auto ask_alone(Question question) {
  return ask<true>(std::move(question));
}

}  // namespace linn::python
