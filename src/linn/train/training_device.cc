#include "linn/train/training_device.h"

#include <charconv>

#include "linn/base/error.h"

namespace linn {

std::unique_ptr<TrainingDevice> open_device(std::string_view name, bool tf32) {
  if (name == "cpu") return nullptr;
  CudaOptions options;
  options.tf32 = tf32;
  constexpr std::string_view kPrefix = "cuda:";
  bool known = name == "cuda";
  if (name.starts_with(kPrefix)) {
    const char* end = name.data() + name.size();
    const auto [at, error] = std::from_chars(name.data() + kPrefix.size(), end, options.device);
    known = error == std::errc() && at == end && options.device >= 0;
  }
  if (!known) throw InputError("unknown device '" + std::string(name) + "'; it must be cpu, cuda or cuda:N");
  return open_cuda_device(options);
}

}  // namespace linn
