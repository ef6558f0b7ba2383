// A group of processes for tests: one thread for each.
#pragma once

#include <barrier>
#include <cstddef>
#include <cstring>
#include <exception>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "linn/base/process_group.h"

namespace linn {

class ThreadGroup {
 public:
  explicit ThreadGroup(std::size_t size)
      : size_(size), mail_(size * size), barrier_(static_cast<std::ptrdiff_t>(size)) {}

  // Calls work(processes) in each thread. What is thrown is kept, by rank: "" for nothing. All threads must throw, or
  // none: the others would wait.
  template <class Work>
  std::vector<std::string> run(const Work& work) {
    std::vector<std::string> errors(size_);
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < size_; ++rank) {
      threads.emplace_back([&, rank] {
        Member member(*this, rank);
        try {
          work(member);
        } catch (const std::exception& error) {
          errors[rank] = error.what();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    return errors;
  }

 private:
  class Member : public ProcessGroup {
   public:
    Member(ThreadGroup& group, std::size_t rank) : group_(group), rank_(rank) {}
    std::size_t rank() const override { return rank_; }
    std::size_t size() const override { return group_.size_; }
    void exchange(std::span<const std::span<const std::byte>> to, std::span<Message> from) override {
      for (std::size_t q = 0; q < size(); ++q) group_.mail_[rank_ * size() + q].assign(to[q].begin(), to[q].end());
      group_.barrier_.arrive_and_wait();
      for (std::size_t q = 0; q < size(); ++q) {
        if (q == rank_) continue;
        const std::vector<std::byte>& letter = group_.mail_[q * size() + rank_];
        from[q].reshape(letter.size());
        if (!letter.empty()) std::memcpy(from[q].data(), letter.data(), letter.size());
      }
      group_.barrier_.arrive_and_wait();
    }

   private:
    ThreadGroup& group_;
    std::size_t rank_;
  };

  std::size_t size_;
  std::vector<std::vector<std::byte>> mail_;  // by sender and receiver
  std::barrier<> barrier_;
};

}  // namespace linn
