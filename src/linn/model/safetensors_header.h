// The header of a safetensors file, and linn's checksum in it.
//
// The checksum is the XXH64 of the whole file, computed with zeros in place of its own digits. linn's headers start
// with it, so that a reader finds the digits at a fixed offset and every byte of the file is covered.
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
// Readers reject larger headers, so that no file makes them exhaust the memory.
inline constexpr std::size_t kMaxHeaderSize = 100'000'000;

inline constexpr std::string_view kHeaderOpening = R"({"__metadata__":{"checksum":")";
inline constexpr std::size_t kChecksumDigits = 16;
inline constexpr std::size_t kChecksumPlace = kHeaderLengthSize + kHeaderOpening.size();

struct SafetensorsHeader {
  Metadata metadata;
  std::vector<TensorInfo> tensors;  // sorted by offset, without gaps
  std::size_t data_start = 0;       // offset in the file
};

// The length and the header, with zeros for the checksum. The tensors must be in file order.
std::string print_safetensors_header(const Metadata& metadata, std::span<const TensorInfo* const> tensors);

// Validates everything except the checksum. `path` is used in error messages.
SafetensorsHeader parse_safetensors_header(std::string_view file, const std::filesystem::path& path);

// The checksum digits for a file, given in parts, that has zeros in their place.
std::string safetensors_checksum(std::span<const std::string_view> parts);
// The checksum digits the file should have, whatever it contains in their place; empty if its header starts
// differently.
std::string safetensors_checksum_of(std::string_view file);

}  // namespace linn
