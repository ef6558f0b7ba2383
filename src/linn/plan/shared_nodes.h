// Which vectors several plans of one batch have in common.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linn/plan/plan.h"

namespace linn {

// Compares the nodes of plans: they stand for the same vector if they are the same variable, or the negation of one, or
// gates of one kind whose operands stand for the same vectors in the same order. Keeps its working memory.
class SharedNodes {
 public:
  // Sets `holders` of every plan. They must not have chains, whose literals are vectors of their own.
  void count(std::span<Plan* const> plans);

 private:
  struct Entry {
    std::uint32_t stamp = 0;  // an entry with another stamp is free
    std::uint32_t left = 0;
    std::uint32_t right = 0;
    Gate gate = Gate::kAnd;
    std::uint32_t number = 0;
  };
  std::uint32_t number_of(Gate gate, std::uint32_t left, std::uint32_t right);
  std::uint32_t number_of_literal(std::uint32_t literal);

  std::vector<Entry> gates_;  // by operands, in open addressing
  struct Literal {
    std::uint32_t stamp = 0;
    std::uint32_t number = 0;
  };
  std::vector<Literal> literals_;  // two for each variable
  std::uint32_t stamp_ = 0;
  std::vector<std::vector<std::uint32_t>> numbers_;  // by plan and node: the same for the same vector
  std::vector<std::uint32_t> holders_;               // by number
};

}  // namespace linn
