// The median.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <vector>

namespace linn {

// For an even number of values, the mean of the two middle ones. There must be at least one.
inline double median(std::vector<double> values) {
  assert(!values.empty());
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

}  // namespace linn
