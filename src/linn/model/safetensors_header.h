// The header of a safetensors file, and the checksum that linn keeps in it.
//
// The checksum is the XXH64 of the whole file, taken while its own digits are zeros. For that, linn's headers begin
// with it: a reader finds the digits at a fixed place, and no byte of the file is left out.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linn/model/safetensors.h"

namespace linn {

inline constexpr std::size_t kHeaderLengthSize = 8;
// Readers refuse more, so that no file makes them take all memory.
inline constexpr std::size_t kMaxHeaderSize = 100'000'000;

inline constexpr std::string_view kHeaderOpening = R"({"__metadata__":{"checksum":")";
inline constexpr std::size_t kChecksumDigits = 16;
inline constexpr std::size_t kChecksumPlace = kHeaderLengthSize + kHeaderOpening.size();

struct SafetensorsHeader {
  Metadata metadata;
  std::vector<TensorInfo> tensors;  // sorted by their place, which they cover without a gap
  std::size_t data_start = 0;       // in the file
};

// The length and the header, with zeros for the checksum. The tensors are those of the file, in its order.
std::string print_safetensors_header(const Metadata& metadata, std::span<const TensorInfo* const> tensors);

// Checks everything but the checksum. `path` is for the errors.
SafetensorsHeader parse_safetensors_header(std::string_view file, const std::filesystem::path& path);

// The digits for a file, given in parts, that has zeros in their place.
std::string safetensors_checksum(std::span<const std::string_view> parts);
// The digits that the file should have, whatever it has in their place; none where its header begins otherwise.
std::string safetensors_checksum_of(std::string_view file);

}  // namespace linn
