#include "linn/model/safetensors_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "linn/base/error.h"
#include "linn/base/utf8.h"

namespace linn {
namespace {

constexpr std::string_view kMetadataName = "__metadata__";
constexpr std::string_view kFormat = "linn";
constexpr unsigned kFormatVersion = 1;
constexpr std::string_view kZeroDigits = "0000000000000000";
static_assert(kZeroDigits.size() == kChecksumDigits);
// The length of the header is a multiple of this, so that the values after it are aligned.
constexpr std::size_t kAlignment = 8;

constexpr std::array kDTypes = {DType::kF32, DType::kF64, DType::kU8, DType::kU32, DType::kU64, DType::kI64};

std::string shown(std::string_view text) { return printable(text, 80); }

// A tensor as declared by the header, not validated yet.
struct ClaimedTensor {
  std::string name;
  std::string dtype;
  Shape shape;
  std::vector<std::size_t> offsets;
};

struct ClaimedHeader {
  std::optional<Metadata> metadata;
  std::vector<ClaimedTensor> tensors;
};

// Consumes the header while the JSON is parsed, and stops at the first unexpected element. A tree of the whole text
// would hide duplicate names, and could be several times larger than the text.
class HeaderHandler : public nlohmann::json::json_sax_t {
 public:
  explicit HeaderHandler(ClaimedHeader& header) : header_(header) {}

  bool null() override { unexpected("a null"); }
  bool boolean(bool /*value*/) override { unexpected("a boolean"); }
  bool number_integer(number_integer_t /*value*/) override { unexpected("a negative number"); }
  bool number_float(number_float_t /*value*/, const string_t& text) override { unexpected("the number " + text); }
  bool binary(binary_t& /*value*/) override { unexpected("binary data"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (!std::in_range<std::size_t>(value)) unexpected(fmt::format("the number {}", value));
    if (at_ == At::kShape) {
      header_.tensors.back().shape.push_back(static_cast<std::size_t>(value));
    } else if (at_ == At::kOffsets && header_.tensors.back().offsets.size() < 2) {
      header_.tensors.back().offsets.push_back(static_cast<std::size_t>(value));
    } else {
      unexpected("a number");
    }
    return true;
  }

  bool string(string_t& value) override {
    if (at_ == At::kMetadata) {
      header_.metadata->find(key_)->second = std::move(value);
    } else if (at_ == At::kTensor && key_ == "dtype") {
      header_.tensors.back().dtype = std::move(value);
    } else {
      unexpected("a string");
    }
    return true;
  }

  bool start_object(std::size_t /*size*/) override {
    if (at_ == At::kStart) {
      at_ = At::kTop;
    } else if (at_ == At::kTop && key_ == kMetadataName) {
      at_ = At::kMetadata;
      header_.metadata.emplace();
    } else if (at_ == At::kTop) {
      at_ = At::kTensor;
      header_.tensors.emplace_back().name = key_;
      members_.clear();
    } else {
      unexpected("an object");
    }
    return true;
  }

  bool key(string_t& value) override {
    key_ = std::move(value);
    bool is_new = true;
    if (at_ == At::kMetadata) {
      is_new = header_.metadata->try_emplace(key_).second;
    } else if (at_ == At::kTensor) {
      if (key_ != "dtype" && key_ != "shape" && key_ != "data_offsets") unexpected("an unknown entry");
      is_new = members_.insert(key_).second;
    } else {
      is_new = names_.insert(key_).second;
    }
    if (!is_new) throw InputError(fmt::format("its header has '{}' twice", shown(key_)));
    return true;
  }

  bool end_object() override {
    if (at_ == At::kTensor && members_.size() != 3) {
      throw InputError(fmt::format("its header lacks the dtype, the shape or the data_offsets of tensor '{}'",
                                   shown(header_.tensors.back().name)));
    }
    at_ = At::kTop;
    return true;
  }

  bool start_array(std::size_t /*size*/) override {
    if (at_ == At::kTensor && key_ == "shape") {
      at_ = At::kShape;
    } else if (at_ == At::kTensor && key_ == "data_offsets") {
      at_ = At::kOffsets;
    } else {
      unexpected("a list");
    }
    return true;
  }

  bool end_array() override {
    if (at_ == At::kOffsets && header_.tensors.back().offsets.size() != 2) unexpected("too short a list");
    at_ = At::kTensor;
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& /*error*/) override {
    throw InputError(fmt::format("its header is not JSON (at byte {} of it)", position));
  }

 private:
  enum class At { kStart, kTop, kMetadata, kTensor, kShape, kOffsets };

  [[noreturn]] void unexpected(std::string_view what) const {
    throw InputError(at_ == At::kStart ? fmt::format("its header is {}, not an object", what)
                                       : fmt::format("its header has {} for '{}'", what, shown(key_)));
  }

  ClaimedHeader& header_;
  At at_ = At::kStart;
  std::string key_;
  std::set<std::string, std::less<>> names_;
  std::set<std::string, std::less<>> members_;
};

// The text of the header.
std::string_view header_text(std::string_view file) {
  if (file.size() < kHeaderLengthSize) {
    throw InputError(fmt::format("is truncated or not a safetensors file: it has {} bytes", file.size()));
  }
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof length);
  const std::size_t rest = file.size() - kHeaderLengthSize;
  if (length > kMaxHeaderSize) throw InputError(fmt::format("is not a safetensors file: a header of {} bytes", length));
  if (length > rest) {
    throw InputError(
        fmt::format("is truncated or not a safetensors file: it has {} of the {} bytes of its header", rest, length));
  }
  return file.substr(kHeaderLengthSize, static_cast<std::size_t>(length));
}

void check_metadata(const std::optional<Metadata>& metadata) {
  const auto entry = [&](std::string_view key) -> std::string_view {
    if (!metadata) return {};
    const auto found = metadata->find(key);
    return found == metadata->end() ? std::string_view() : std::string_view(found->second);
  };
  if (entry("format") != kFormat) throw InputError("is a safetensors file, but was not written by linn");
  const std::string_view text = entry("format_version");
  unsigned version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc() || end != text.data() + text.size() || version == 0) {
    throw InputError(fmt::format("has an invalid format version: '{}'", shown(text)));
  }
  if (version > kFormatVersion) {
    throw InputError(
        fmt::format("was written by a newer linn: its format version is {}, and this version of linn reads up to {}",
                    version, kFormatVersion));
  }
}

std::size_t bytes_needed(const ClaimedTensor& claimed, DType dtype) {
  std::size_t bytes = dtype_size(dtype);
  for (const std::size_t dimension : claimed.shape) {
    if (__builtin_mul_overflow(bytes, dimension, &bytes)) {
      throw InputError(fmt::format("its tensor '{}' is too large: shape {}", shown(claimed.name),
                                   shown(fmt::format("[{}]", fmt::join(claimed.shape, ", ")))));
    }
  }
  return bytes;
}

TensorInfo checked(ClaimedTensor&& claimed) {
  const auto* const dtype =
      std::ranges::find_if(kDTypes, [&](DType known) { return dtype_name(known) == claimed.dtype; });
  if (dtype == kDTypes.end()) {
    throw InputError(
        fmt::format("its tensor '{}' has the unknown type '{}'", shown(claimed.name), shown(claimed.dtype)));
  }
  const std::size_t begin = claimed.offsets[0];
  const std::size_t end = claimed.offsets[1];
  const std::size_t needed = bytes_needed(claimed, *dtype);
  if (end < begin || end - begin != needed) {
    throw InputError(fmt::format("its tensor '{}' of {} bytes is placed from byte {} to {}", shown(claimed.name),
                                 needed, begin, end));
  }
  if (begin % dtype_size(*dtype) != 0) {
    throw InputError(fmt::format("its tensor '{}' starts at byte {}, which is not a multiple of {}",
                                 shown(claimed.name), begin, dtype_size(*dtype)));
  }
  return {std::move(claimed.name), *dtype, std::move(claimed.shape), begin, end};
}

// The tensors must cover all values without gaps or overlaps.
void check_cover(std::span<const TensorInfo> tensors, std::size_t available) {
  std::size_t covered = 0;
  for (const TensorInfo& tensor : tensors) {
    if (tensor.begin != covered) {
      throw InputError(fmt::format("its tensor '{}' starts at byte {}, which {} the previous one, which ends at {}",
                                   shown(tensor.name), tensor.begin,
                                   tensor.begin < covered ? "overlaps" : "leaves a gap after", covered));
    }
    covered = tensor.end;
  }
  if (covered > available) {
    throw InputError(fmt::format("is truncated: it has {} of {} bytes of values", available, covered));
  }
  if (covered < available) {
    throw InputError(fmt::format("has {} bytes more than its tensors need", available - covered));
  }
}

SafetensorsHeader parse_header(std::string_view file) {
  const std::string_view text = header_text(file);
  if (!text.starts_with('{')) throw InputError("is not a safetensors file: its header does not start with '{'");
  // The JSON library treats a zero byte as the end of the text.
  if (text.find('\0') != std::string_view::npos) throw InputError("its header is not JSON (it contains a zero byte)");
  ClaimedHeader claimed;
  HeaderHandler handler(claimed);
  nlohmann::json::sax_parse(text.begin(), text.end(), &handler);

  check_metadata(claimed.metadata);
  if (text.size() % kAlignment != 0) throw InputError(fmt::format("its header is not padded to {} bytes", kAlignment));
  SafetensorsHeader header;
  header.metadata = std::move(*claimed.metadata);
  header.data_start = kHeaderLengthSize + text.size();
  header.tensors.reserve(claimed.tensors.size());
  for (ClaimedTensor& tensor : claimed.tensors) header.tensors.push_back(checked(std::move(tensor)));
  // An empty tensor precedes the one that starts at the same byte.
  std::ranges::stable_sort(header.tensors, [](const TensorInfo& a, const TensorInfo& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  check_cover(header.tensors, file.size() - header.data_start);
  return header;
}

std::string json_string(std::string_view text) {
  if (!is_valid_utf8(text)) throw InputError(fmt::format("'{}' is not UTF-8 and cannot be saved", shown(text)));
  return nlohmann::json(text).dump();
}

}  // namespace

std::string_view dtype_name(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return "F32";
    case DType::kF64:
      return "F64";
    case DType::kU8:
      return "U8";
    case DType::kU32:
      return "U32";
    case DType::kU64:
      return "U64";
    case DType::kI64:
      return "I64";
  }
  return {};
}

std::size_t dtype_size(DType dtype) {
  switch (dtype) {
    case DType::kU8:
      return 1;
    case DType::kF32:
    case DType::kU32:
      return 4;
    case DType::kF64:
    case DType::kU64:
    case DType::kI64:
      return 8;
  }
  return 1;
}

std::string print_safetensors_header(const Metadata& metadata, std::span<const TensorInfo* const> tensors) {
  std::string text(kHeaderLengthSize, '\0');
  text += kHeaderOpening;
  text += kZeroDigits;
  text += fmt::format(R"(","format":"{}","format_version":"{}")", kFormat, kFormatVersion);
  for (const auto& [key, value] : metadata)
    text.append(",").append(json_string(key)).append(":").append(json_string(value));
  text += '}';
  for (const TensorInfo* tensor : tensors) {
    text += fmt::format(R"(,{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", json_string(tensor->name),
                        dtype_name(tensor->dtype), fmt::join(tensor->shape, ","), tensor->begin, tensor->end);
  }
  text += '}';
  // The 8 bytes of the length are a multiple too.
  text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');
  const std::uint64_t length = text.size() - kHeaderLengthSize;
  if (length > kMaxHeaderSize) {
    throw Failure(fmt::format("a model with {} bytes of names and settings cannot be saved: the format allows {}",
                              length, kMaxHeaderSize));
  }
  std::memcpy(text.data(), &length, sizeof length);
  return text;
}

SafetensorsHeader parse_safetensors_header(std::string_view file, const std::filesystem::path& path) {
  try {
    return parse_header(file);
  } catch (const InputError& error) {
    throw error.in_file(path.string(), 0);
  }
}

std::string safetensors_checksum(std::span<const std::string_view> parts) {
  XXH64_state_t state;
  XXH64_reset(&state, 0);
  for (const std::string_view part : parts) XXH64_update(&state, part.data(), part.size());
  return fmt::format("{:016x}", XXH64_digest(&state));
}

std::string safetensors_checksum_of(std::string_view file) {
  if (file.size() < kChecksumPlace + kChecksumDigits) return {};
  if (!file.substr(kHeaderLengthSize).starts_with(kHeaderOpening)) return {};
  return safetensors_checksum(
      std::array{file.substr(0, kChecksumPlace), kZeroDigits, file.substr(kChecksumPlace + kChecksumDigits)});
}

}  // namespace linn
