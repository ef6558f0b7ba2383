// A group of processes that do one job together, as the launcher of a cluster started them.
//
// Every process runs the same program on the same data, and all call the same functions of this header in the same
// order. Process 0 alone writes files and talks to the user.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linn/base/aligned.h"

namespace linn {

class ProcessGroup {
 public:
  using Message = AlignedArray<std::byte>;

  virtual ~ProcessGroup() = default;

  // The number of this process, from 0, and of all processes.
  virtual std::size_t rank() const = 0;
  virtual std::size_t size() const = 0;
  bool is_first() const { return rank() == 0; }
  // The name of the machine that this process runs on, for messages; may be empty.
  virtual std::string host() const { return {}; }

  // Sends to[q] to process q, and receives in from[q] what that sent here; both have an element for each process, of
  // which that of this process is not used. Throws Failure if another process has ended or does not answer.
  virtual void exchange(std::span<const std::span<const std::byte>> to, std::span<Message> from) = 0;

  // All processes must stop at the same step. One that is asked to stop says so, the next step tells the others, and
  // after it all have agreed.
  void ask_to_stop() { asked_to_stop_ = true; }
  bool is_asked_to_stop() const { return asked_to_stop_; }
  void agree_to_stop() { agreed_to_stop_ = true; }
  bool has_agreed_to_stop() const { return agreed_to_stop_; }

 private:
  bool asked_to_stop_ = false;
  bool agreed_to_stop_ = false;
};

// A process on its own.
class LoneProcess : public ProcessGroup {
 public:
  std::size_t rank() const override { return 0; }
  std::size_t size() const override { return 1; }
  void exchange(std::span<const std::span<const std::byte>>, std::span<Message>) override {}
};

// The texts of all processes, by rank.
std::vector<std::string> gather(ProcessGroup& processes, std::string_view own);

// The text that `make` returns in the first process, in which alone it is called. What it throws there, InputError or
// Failure, is thrown in all processes.
std::string from_first(ProcessGroup& processes, const std::function<std::string()>& make);

// Calls `make` in every process and gathers the texts. If it throws InputError or Failure in some of them, the error of
// the first of these is thrown in all.
std::vector<std::string> gather_results(ProcessGroup& processes, const std::function<std::string()>& make);

}  // namespace linn
