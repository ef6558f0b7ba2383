// A figure by its name, for the line of metrics that an epoch leaves behind.
#pragma once

#include <string>
#include <vector>

namespace linn {

struct Metric {
  std::string name;
  std::vector<double> values;  // one, or a list such as the sums of the ten laws; NaN: not computed
};
using Metrics = std::vector<Metric>;

}  // namespace linn
