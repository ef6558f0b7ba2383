// Reads arbitrary bytes as the configuration of a run: either an InputError naming the file, or a configuration that is
// the same after it was written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "linn/base/error.h"
#include "linn/base/utf8.h"
#include "linn/model/run_config.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const linn::RunConfig config =
        linn::parse_config(std::string(reinterpret_cast<const char*>(data), size), "fuzz.json");
    const std::string written = config.to_json();
    require(linn::parse_config(written, "again.json").to_json() == written);
  } catch (const linn::InputError& error) {
    require(!error.message().empty() && linn::is_valid_utf8(error.message()));
    require(error.place().file == "fuzz.json");
  }
  return 0;
}
