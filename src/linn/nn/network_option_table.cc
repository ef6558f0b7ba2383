#include "linn/nn/network_option_table.h"

namespace linn {

OptionTable<NetworkOptions> network_option_table() {
  OptionTable<NetworkOptions> table;
  add_network_options(
      table, [](auto& o) -> auto& { return o; });
  return table;
}

}  // namespace linn
