// How the rows of a pass are shared out among threads.
//
// Results must not depend on the number of threads. So rows are always cut into the same lanes, whichever thread works
// on them. Whatever is summed over rows (gradients of parameters, the value of a law) is summed in order within a lane,
// and the lanes are added in order at the end.
#pragma once

#include <algorithm>
#include <cstddef>

#include "linn/base/thread_pool.h"

namespace linn {

inline constexpr std::size_t kLaneCount = 8;

// Rows that go through gather, both layers, similarity and back before the next ones are touched, so that everything
// stays in a core's own cache.
inline constexpr std::size_t kBlockRows = 96;

struct RowRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t size() const { return end - begin; }
};

// The number of lanes for so many rows, and the rows of each of so many lanes. The lanes differ by at most one tile of
// the matrix product, so that an even number of threads has even work.
std::size_t lanes_for(std::size_t rows);
RowRange lane_rows(std::size_t rows, std::size_t lane, std::size_t lanes);

// The number of lanes that a pool allows, and the number for so many rows.
inline std::size_t lanes_of(const ThreadPool& pool) { return std::min(kLaneCount, pool.most_lanes()); }
inline std::size_t lanes_for(std::size_t rows, const ThreadPool& pool) {
  return std::min(lanes_for(rows), lanes_of(pool));
}

// Calls work(lane, thread, begin, end) for blocks of at most kBlockRows rows, in order within a lane.
template <class Work>
void for_each_block(ThreadPool& pool, std::size_t rows, Work&& work) {
  if (rows == 0) return;
  const std::size_t lanes = lanes_for(rows, pool);
  pool.run(lanes, [&](std::size_t lane, std::size_t thread) {
    const RowRange part = lane_rows(rows, lane, lanes);
    for (std::size_t begin = part.begin; begin < part.end; begin += kBlockRows) {
      work(lane, thread, begin, std::min(begin + kBlockRows, part.end));
    }
  });
}

}  // namespace linn
