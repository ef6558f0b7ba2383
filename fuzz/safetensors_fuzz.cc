// Reads arbitrary bytes as a safetensors file: either an InputError naming it, or tensors within it. Hardly any change
// keeps the checksum valid, so a second attempt corrects it first.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "linn/base/error.h"
#include "linn/base/utf8.h"
#include "linn/model/safetensors.h"
#include "linn/model/safetensors_header.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

template <class T>
void check_values(const linn::SafetensorsFile& file, const linn::TensorInfo& tensor) {
  if (tensor.dtype != linn::dtype_of<T>()) return;
  std::size_t count = 1;
  for (const std::size_t dimension : tensor.shape) count *= dimension;
  const auto values = file.values<T>(tensor.name, tensor.shape);
  require(values.size() == count);
  // Reads all values, for the sanitizer to check.
  std::size_t sum = 0;
  for (const std::byte byte : std::as_bytes(values)) sum += std::to_integer<std::size_t>(byte);
  require(sum <= 255 * values.size_bytes());
}

void check(std::string bytes) {
  const std::size_t size = bytes.size();
  try {
    const auto file = linn::SafetensorsFile::parse(std::move(bytes), "fuzz.safetensors");
    std::size_t end = 0;
    for (const linn::TensorInfo& tensor : file.tensors()) {
      require(tensor.begin == end && tensor.end >= tensor.begin && tensor.end <= size);
      end = tensor.end;
      require(file.find(tensor.name) == &tensor);
      check_values<float>(file, tensor);
      check_values<double>(file, tensor);
      check_values<std::uint8_t>(file, tensor);
      check_values<std::uint32_t>(file, tensor);
      check_values<std::uint64_t>(file, tensor);
      check_values<std::int64_t>(file, tensor);
    }
    require(file.metadata("format") == "linn");
  } catch (const linn::InputError& error) {
    require(!error.message().empty() && linn::is_valid_utf8(error.message()));
    require(error.place().file == "fuzz.safetensors");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  check(bytes);
  const std::string checksum = linn::safetensors_checksum_of(bytes);
  if (!checksum.empty()) check(bytes.replace(linn::kChecksumPlace, linn::kChecksumDigits, checksum));
  return 0;
}
