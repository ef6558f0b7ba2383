// Hand-made safetensors files for tests of the reader.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "linn/model/safetensors_header.h"

namespace linn {

// The length, the header padded to 8 bytes, the data. If the header starts like linn's, the checksum is corrected.
inline std::string safetensors_bytes(std::string header, std::string_view data = {}) {
  header.append((8 - header.size() % 8) % 8, ' ');
  const std::uint64_t length = header.size();
  std::string file(sizeof length, '\0');
  std::memcpy(file.data(), &length, sizeof length);
  file += header;
  file += data;
  const std::string checksum = safetensors_checksum_of(file);
  if (!checksum.empty()) file.replace(kChecksumPlace, kChecksumDigits, checksum);
  return file;
}

// A linn header with these tensors.
inline std::string linn_header(std::string_view tensors) {
  std::string header = R"({"__metadata__":{"checksum":"0000000000000000","format":"linn","format_version":"1"})";
  if (!tensors.empty()) header.append(",").append(tensors);
  return header + "}";
}

}  // namespace linn
