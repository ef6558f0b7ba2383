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
// The format: the length of the header as 8 bytes, little-endian; the header as JSON, padded with spaces to a
// multiple of 8; the values of all tensors, one behind the other without holes. Beyond what the format asks for,
// the metadata says that the file is linn's, the version of what linn puts into it, and a checksum over every byte
// of the file. A file without them, or with anything amiss, is refused with an InputError that names it.
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

namespace linn {

static_assert(std::endian::native == std::endian::little, "values are read and written as they lie in memory");

enum class DType : std::uint8_t { kF32, kF64, kU8, kU32, kU64, kI64 };

// As the format calls it, such as "F32".
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
  // The bytes [begin, end) of the values, counted from the end of the header.
  std::size_t begin = 0;
  std::size_t end = 0;
};

using Metadata = std::map<std::string, std::string, std::less<>>;

// The whole content of a file. Everything about it has been checked when there is one.
class SafetensorsFile {
 public:
  // Both throw InputError; `path` only stands for the bytes in errors.
  static SafetensorsFile read(const std::filesystem::path& path);
  static SafetensorsFile parse(std::string bytes, std::filesystem::path path);

  SafetensorsFile(SafetensorsFile&&) = default;
  SafetensorsFile& operator=(SafetensorsFile&&) = default;

  const std::filesystem::path& path() const { return path_; }

  // In the order of their values in the file.
  std::span<const TensorInfo> tensors() const { return tensors_; }
  // nullptr where there is none of this name.
  const TensorInfo* find(std::string_view name) const;

  // The values of a tensor, row by row, valid as long as this object is neither moved nor gone. Throws InputError
  // unless there is one of this name and type and, where given, of this shape.
  template <class T>
  std::span<const T> values(std::string_view name) const {
    return values_of<T>(require(name, dtype_of<T>(), nullptr));
  }
  template <class T>
  std::span<const T> values(std::string_view name, const Shape& shape) const {
    return values_of<T>(require(name, dtype_of<T>(), &shape));
  }
  // The same, copied to where they are needed; the place must have the size that the shape asks for.
  template <class T>
  void copy(std::string_view name, const Shape& shape, std::span<T> to) const {
    const std::span<const T> from = values<T>(name, shape);
    assert(from.size() == to.size());
    if (!from.empty()) std::memcpy(to.data(), from.data(), from.size_bytes());
  }

  const Metadata& metadata() const { return metadata_; }
  // Throws InputError where there is no entry of this key.
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
  std::map<std::string_view, std::size_t> index_;  // the names are those in tensors_
};

// Takes views of values, and writes them without a copy of them all.
class SafetensorsWriter {
 public:
  // Names are unique, and the number of values is that of the shape. What is viewed must live, and stay the same,
  // until write().
  template <std::ranges::contiguous_range Range>
  requires std::ranges::borrowed_range<Range>
  void add(std::string_view name, const Shape& shape, Range&& values) {
    using Value = std::remove_cv_t<std::ranges::range_value_t<Range>>;
    add_bytes(name, dtype_of<Value>(), shape,
              {reinterpret_cast<const char*>(std::ranges::data(values)), std::ranges::size(values) * sizeof(Value)});
  }

  // An entry for the file as a whole. "format", "format_version" and "checksum" are the writer's own.
  void set_metadata(std::string key, std::string value);

  // A reader of the path sees the old file or the new one, never half of it. Throws Failure where the disk does
  // not take it or the header grows beyond what the format has room for, InputError where a name or the metadata are
  // not UTF-8.
  void write(const std::filesystem::path& path) const;
  // What write() would write.
  std::string to_bytes() const;

 private:
  struct Entry {
    TensorInfo info;
    std::string_view bytes;
  };

  void add_bytes(std::string_view name, DType dtype, const Shape& shape, std::string_view bytes);
  std::vector<std::string_view> layout(std::string& start) const;

  std::vector<Entry> entries_;
  Metadata metadata_;
};

}  // namespace linn
