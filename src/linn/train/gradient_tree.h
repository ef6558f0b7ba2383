// Sums of gradients along a binary tree.
//
// The gradients of a batch are summed over its shards, whose number is a power of two, along one complete binary tree.
// Floating-point sums depend on their order, and this one does not depend on who adds up what: any process may add up
// whole subtrees, and another one the rest of the tree above them. A shard without examples, and a row of a table that
// a shard does not touch, are not in the tree; the sum of one side alone is that side, bit by bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "linn/base/aligned.h"
#include "linn/base/thread_pool.h"

namespace linn {

// The gradient of a table: a row of values for each row of the table that is touched.
struct RowGradient {
  std::vector<std::uint32_t> rows;  // distinct, ascending
  AlignedArray<float> values;
};

// The shards [begin, end), a subtree.
struct Subtree {
  std::size_t begin = 0;
  std::size_t end = 0;
  friend bool operator==(const Subtree&, const Subtree&) = default;
};

// The largest subtrees that make up the shards [begin, end) of `count`, in order.
std::vector<Subtree> whole_subtrees(std::size_t begin, std::size_t end, std::size_t count);

// An order in which sums are added up: into is increased by added, or takes its place if into is not there. Numbers are
// places in the list of subtrees that the sum is over.
struct Addition {
  std::uint32_t into = 0;
  std::uint32_t added = 0;
};
// From some subtrees, in order, to the sum over the subtree `all`, which ends in the place of its first one. They must
// make up all of it.
std::vector<Addition> additions_to(Subtree all, std::span<const Subtree> parts);

// Sums lists of `size` numbers; absent ones are null. The lists are overwritten, and one of them holds the sum: returns
// it, or null if all are absent.
float* add_up(std::span<const Addition> order, std::span<float* const> lists, std::size_t size, ThreadPool& pool);
double* add_up(std::span<const Addition> order, std::span<double* const> lists, std::size_t size);

// One of several gradients of a table.
struct RowPart {
  std::span<const std::uint32_t> rows;
  const float* values = nullptr;
};

// Sums gradients of one table with `table_rows` rows of `width` numbers. Keeps its working memory.
class RowSum {
 public:
  void run(std::span<const Addition> order, std::span<const RowPart> parts, std::size_t table_rows, std::size_t width,
           RowGradient& sum, ThreadPool& pool);

 private:
  std::vector<std::uint64_t> touched_;  // a bit for each row of the table
  struct Scratch {
    AlignedArray<float> sums;         // a row for each part
    std::vector<const float*> place;  // where the row of each part is, or its sum
    std::vector<std::size_t> next;    // in its rows
  };
  std::vector<Scratch> scratch_;  // by thread
};

// Sets of rows as one bit for each row of a table: united, and listed in ascending order.
void mark_rows(std::span<const std::uint32_t> rows, std::vector<std::uint64_t>& bits);
void list_rows(std::span<const std::uint64_t> bits, std::vector<std::uint32_t>& rows);

}  // namespace linn
