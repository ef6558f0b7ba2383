// Models and checkpoints as safetensors files, which other programs can open too.
//
//   SafetensorsWriter out;
//   out.add("embedding", {rows, cols}, values);      // a view: `values` must live until write()
//   out.set_metadata("config", config_as_json);
//   out.write("model.safetensors");
//
//   const auto in = SafetensorsFile::read("model.safetensors");
//   std::span<const float> values = in.values<float>("embedding", {rows, cols});
//
// The format: the length of the header as 8 bytes, little-endian; the header as JSON, padded with spaces to a multiple
// of 8; the values of all tensors, contiguous. In addition to the format, the metadata identifies linn as the writer,
// and contains the version of linn's contents and a checksum over every byte of the file. A file without these, or with
// any inconsistency, is rejected with an InputError naming it.
#pragma once

#include <bit>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "linn/base/aligned.h"
#include "linn/base/error.h"
#include "linn/base/file.h"

namespace linn {

static_assert(std::endian::native == std::endian::little, "values are read and written in memory order");

enum class DType : std::uint8_t { kF32, kF64, kU8, kU32, kU64, kI64 };

// The name in the format, such as "F32".
std::string_view dtype_name(DType dtype);
std::size_t dtype_size(DType dtype);

template <class T>
constexpr DType dtype_of() {
  if constexpr (std::same_as<T, float>) {
    return DType::kF32;
  } else if constexpr (std::same_as<T, double>) {
    return DType::kF64;
  } else if constexpr (std::same_as<T, std::uint8_t>) {
    return DType::kU8;
  } else if constexpr (std::same_as<T, std::uint32_t>) {
    return DType::kU32;
  } else if constexpr (std::same_as<T, std::uint64_t>) {
    return DType::kU64;
  } else {
    static_assert(std::same_as<T, std::int64_t>, "no tensors of this type");
    return DType::kI64;
  }
}

// A scalar has an empty shape.
using Shape = std::vector<std::size_t>;

struct TensorInfo {
  std::string name;
  DType dtype = DType::kF32;
  Shape shape;
  // The bytes [begin, end) of the values, relative to the end of the header.
  std::size_t begin = 0;
  std::size_t end = 0;
};

using Metadata = std::map<std::string, std::string, std::less<>>;

// The contents of a file, fully validated on construction.
class SafetensorsFile {
 public:
  // Both throw InputError; `path` is used in error messages only.
  static SafetensorsFile read(const std::filesystem::path& path);
  static SafetensorsFile parse(std::string bytes, std::filesystem::path path);

  SafetensorsFile(SafetensorsFile&&) = default;
  SafetensorsFile& operator=(SafetensorsFile&&) = default;

  const std::filesystem::path& path() const { return path_; }
  // Of every byte of the file, as hexadecimal digits.
  std::string_view checksum() const;
  std::size_t size() const { return bytes_.size(); }
  // An error about the contents of this file, to be thrown.
  InputError error(const std::string& message) const { return InputError(message, Place{path_.string(), 0, 0}); }

  // In the order of their values in the file.
  std::span<const TensorInfo> tensors() const { return tensors_; }
  // nullptr if there is no such tensor.
  const TensorInfo* find(std::string_view name) const;

  // The values of one of tensors(), as they are in the file, valid until this object is moved or destroyed.
  std::string_view bytes(const TensorInfo& tensor) const {
    return std::string_view(bytes_).substr(data_start_ + tensor.begin, tensor.end - tensor.begin);
  }

  // The values of a tensor in row-major order, valid until this object is moved or destroyed. Throws InputError unless
  // there is a tensor of this name and type and, if given, of this shape.
  template <class T>
  std::span<const T> values(std::string_view name) const {
    return values_of<T>(require(name, dtype_of<T>(), nullptr));
  }
  template <class T>
  std::span<const T> values(std::string_view name, const Shape& shape) const {
    return values_of<T>(require(name, dtype_of<T>(), &shape));
  }
  // The same, copied to `to`, which must have the size given by the shape.
  template <class T>
  void copy(std::string_view name, const Shape& shape, std::span<T> to) const {
    const std::span<const T> from = values<T>(name, shape);
    assert(from.size() == to.size());
    if (!from.empty()) std::memcpy(to.data(), from.data(), from.size_bytes());
  }

  // Throws InputError if a value of a floating-point tensor is infinite or not a number: no model has such values.
  void require_finite() const;

  const Metadata& metadata() const { return metadata_; }
  // Throws InputError if there is no such entry.
  const std::string& metadata(std::string_view key) const;

 private:
  SafetensorsFile() = default;
  const TensorInfo& require(std::string_view name, DType dtype, const Shape* shape) const;

  template <class T>
  std::span<const T> values_of(const TensorInfo& tensor) const {
    return {reinterpret_cast<const T*>(bytes_.data() + data_start_ + tensor.begin),
            (tensor.end - tensor.begin) / sizeof(T)};
  }

  std::filesystem::path path_;
  std::string bytes_;
  std::size_t data_start_ = 0;
  Metadata metadata_;
  std::vector<TensorInfo> tensors_;
  std::map<std::string_view, std::size_t> index_;  // keys point into tensors_
};

// Calls `build`, which makes a model from the file, and bounds its memory by the size of the file: settings in a small
// file may describe a huge model. Throws InputError if they do, or if a value of the file is not finite.
template <class Build>
auto build_model(const SafetensorsFile& in, const Build& build) {
  in.require_finite();
  // What is made of the tensors, such as transposed matrices, takes a few times their memory.
  constexpr std::size_t kTimes = 8;
  constexpr std::size_t kAlways = std::size_t{1} << 26;
  const ArrayLimit limit(kAlways + kTimes * in.size());
  try {
    return build();
  } catch (const ArrayLimit::Exceeded&) {
    throw in.error("its settings describe a larger model than the file holds");
  }
}

// Keeps views of values, and writes them without copying them all.
class SafetensorsWriter {
 public:
  // Names must be unique, and the number of values must match the shape. The viewed values must stay valid and
  // unchanged until write().
  template <std::ranges::contiguous_range Range>
  requires std::ranges::borrowed_range<Range>
  void add(std::string_view name, const Shape& shape, Range&& values) {
    using Value = std::remove_cv_t<std::ranges::range_value_t<Range>>;
    add_bytes(name, dtype_of<Value>(), shape,
              {reinterpret_cast<const char*>(std::ranges::data(values)), std::ranges::size(values) * sizeof(Value)});
  }

  // The same for the bytes of values.
  void add_bytes(std::string_view name, DType dtype, const Shape& shape, std::string_view bytes);

  // An entry for the file as a whole. The reserved keys are the writer's own.
  static bool is_reserved(std::string_view key) {
    return key == "format" || key == "format_version" || key == "checksum";
  }
  void set_metadata(std::string key, std::string value);

  // Whether the values of all floating-point tensors are finite.
  bool is_finite() const;

  // Throws Failure if the names and the metadata exceed the limit of the format, as write() would.
  void check_header() const;

  // Replaces the file atomically: a reader sees the old file or the new one. Throws Failure if the file cannot be
  // written or the header exceeds the limit of the format, InputError if a name or the metadata are not UTF-8.
  void write(const std::filesystem::path& path, Links links = Links::kFollow) const;
  // The bytes that write() would write.
  std::string to_bytes() const;

 private:
  struct Entry {
    TensorInfo info;
    std::string_view bytes;
  };

  std::vector<std::string_view> layout(std::string& start) const;

  std::vector<Entry> entries_;
  Metadata metadata_;
};

}  // namespace linn
