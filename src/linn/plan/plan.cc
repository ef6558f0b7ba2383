#include "linn/plan/plan.h"

#include <fmt/format.h>

#include <iterator>

namespace linn {

std::string to_string(const Plan& plan) {
  std::string out = "0 = T\n1 = NOT 0\n";
  auto line = std::back_inserter(out);
  for (std::size_t i = 0; i < plan.variables.size(); ++i) {
    const std::size_t node = Plan::kFirstVariable + i;
    fmt::format_to(line, "{} = variable {} (x{})\n", node, plan.variables[i], plan.occurrences[node]);
  }
  for (std::uint32_t i = 0; i < plan.negated; ++i) {
    const std::uint32_t node = plan.first_negation() + i;
    fmt::format_to(line, "{} = NOT {} (x{})\n", node, Plan::kFirstVariable + i, plan.occurrences[node]);
  }
  for (std::size_t i = 0; i < plan.levels.size(); ++i) {
    const Plan::Level& level = plan.levels[i];
    fmt::format_to(line, "level {}:\n", i + 1);
    for (std::uint32_t node = level.begin; node < level.end; ++node) {
      const std::uint32_t gate = node - plan.first_gate();
      fmt::format_to(line, "{} = {} {} {} (x{})\n", node, level.gate == Gate::kAnd ? "AND" : "OR", plan.left[gate],
                     plan.right[gate], plan.occurrences[node]);
    }
  }
  out += "roots:";
  for (const std::uint32_t root : plan.roots) fmt::format_to(line, " {}", root);
  return out + "\n";
}

}  // namespace linn
