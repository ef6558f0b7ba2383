#include "linn/train/agreement.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "linn/base/error.h"
#include "linn/kernels/dispatch.h"
#include "linn/version.h"

namespace linn {
namespace {

// What must agree, and what is said where it does not.
struct Item {
  std::string value;
  std::string complaint;
};

std::array<Item, 4> items_of(const RunConfig& config) {
  std::string settings = fmt::format("{} {} {}", config.task, config.model, config.seed);
  for (const auto& [name, value] : config.options) settings += fmt::format(" {}={}", name, value);
  return {{{fmt::format("{} {}", kVersion, kCommit), "is another version of the program"},
           {std::string(current_instruction_set()), "uses another instruction set"},
           {settings, "has other settings"},
           {config.data_checksum, "has other data"}}};
}

}  // namespace

void require_agreement(ProcessGroup& processes, const RunConfig& config) {
  if (processes.size() == 1) return;
  const auto own = items_of(config);
  std::vector<std::vector<std::string>> values;
  for (const Item& item : own) values.push_back(gather(processes, item.value));
  const std::vector<std::string> hosts = gather(processes, processes.host());
  const auto name = [&](std::size_t rank) {
    return fmt::format("process {}{}{}{}", rank, hosts[rank].empty() ? "" : " (", hosts[rank],
                       hosts[rank].empty() ? "" : ")");
  };
  for (std::size_t i = 0; i < own.size(); ++i) {
    for (std::size_t rank = 1; rank < processes.size(); ++rank) {
      if (values[i][rank] == values[i][0]) continue;
      throw Failure(fmt::format("{} {} than {}", name(rank), own[i].complaint, name(0)));
    }
  }
}

}  // namespace linn
