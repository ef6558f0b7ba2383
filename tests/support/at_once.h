// Runs the same function in several threads at once.
#pragma once

#include <cstddef>
#include <exception>
#include <latch>
#include <thread>
#include <vector>

namespace linn {

// Calls work() in `threads` threads that start together, and returns their results in order.
template <class Work>
auto at_once(std::size_t threads, const Work& work) {
  std::vector<decltype(work())> results(threads);
  std::vector<std::exception_ptr> errors(threads);
  {
    std::latch start(static_cast<std::ptrdiff_t>(threads));
    std::vector<std::jthread> running;
    for (std::size_t i = 0; i < threads; ++i) {
      running.emplace_back([&, i] {
        start.arrive_and_wait();
        try {
          results[i] = work();
        } catch (...) {
          errors[i] = std::current_exception();
        }
      });
    }
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  return results;
}

}  // namespace linn
