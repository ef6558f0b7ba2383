// Points of the plane as a picture.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace linn::app {

struct ScatterGroup {
  std::string name;
  std::string colour;  // as SVG writes it
};

// An SVG with a dot for every point, in the colour of its group, and a legend of the groups that have points. Both
// directions have the same scale; axes would say nothing.
std::string scatter_svg(std::span<const double> xy, std::span<const std::uint8_t> group,
                        const std::vector<ScatterGroup>& groups);

}  // namespace linn::app
