#include "linn/model/safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/base/utf8.h"
#include "linn/model/safetensors_header.h"

namespace linn {
namespace {

std::string shown(std::string_view text) { return printable(text, 80); }

std::string describe(DType dtype, const Shape& shape) {
  return shown(fmt::format("{} [{}]", dtype_name(dtype), fmt::join(shape, ", ")));
}

template <class Value>
bool all_finite(std::string_view bytes) {
  const std::span values(reinterpret_cast<const Value*>(bytes.data()), bytes.size() / sizeof(Value));
  return std::ranges::all_of(values, [](Value value) { return std::isfinite(value); });
}

bool is_finite_tensor(DType dtype, std::string_view bytes) {
  if (dtype == DType::kF32) return all_finite<float>(bytes);
  return dtype != DType::kF64 || all_finite<double>(bytes);
}

}  // namespace

SafetensorsFile SafetensorsFile::read(const std::filesystem::path& path) { return parse(read_file(path), path); }

SafetensorsFile SafetensorsFile::parse(std::string bytes, std::filesystem::path path) {
  SafetensorsHeader header = parse_safetensors_header(bytes, path);
  const std::string checksum = safetensors_checksum_of(bytes);
  if (checksum.empty() || std::string_view(bytes).substr(kChecksumPlace, kChecksumDigits) != checksum) {
    throw InputError("is damaged or was modified: its checksum does not match", Place{path.string(), 0, 0});
  }
  SafetensorsFile file;
  file.path_ = std::move(path);
  file.bytes_ = std::move(bytes);
  file.data_start_ = header.data_start;
  file.metadata_ = std::move(header.metadata);
  file.tensors_ = std::move(header.tensors);
  for (std::size_t i = 0; i < file.tensors_.size(); ++i) file.index_.emplace(file.tensors_[i].name, i);
  return file;
}

std::string_view SafetensorsFile::checksum() const {
  return std::string_view(bytes_).substr(kChecksumPlace, kChecksumDigits);
}

const TensorInfo* SafetensorsFile::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &tensors_[found->second];
}

const TensorInfo& SafetensorsFile::require(std::string_view name, DType dtype, const Shape* shape) const {
  const TensorInfo* tensor = find(name);
  if (tensor == nullptr) {
    throw InputError(fmt::format("has no tensor '{}'", shown(name)), Place{path_.string(), 0, 0});
  }
  if (tensor->dtype != dtype || (shape != nullptr && tensor->shape != *shape)) {
    const std::string expected = shape != nullptr ? describe(dtype, *shape) : std::string(dtype_name(dtype));
    throw InputError(fmt::format("its tensor '{}' is {}, expected {}", shown(name),
                                 describe(tensor->dtype, tensor->shape), expected),
                     Place{path_.string(), 0, 0});
  }
  return *tensor;
}

void SafetensorsFile::require_finite() const {
  for (const TensorInfo& tensor : tensors_) {
    if (!is_finite_tensor(tensor.dtype, bytes(tensor))) {
      throw error(fmt::format("its tensor '{}' has values that are not finite", shown(tensor.name)));
    }
  }
}

const std::string& SafetensorsFile::metadata(std::string_view key) const {
  const auto found = metadata_.find(key);
  if (found == metadata_.end()) {
    throw InputError(fmt::format("has no entry '{}' in its metadata", shown(key)), Place{path_.string(), 0, 0});
  }
  return found->second;
}

void SafetensorsWriter::set_metadata(std::string key, std::string value) {
  assert(!is_reserved(key));
  metadata_.insert_or_assign(std::move(key), std::move(value));
}

bool SafetensorsWriter::is_finite() const {
  return std::ranges::all_of(entries_, [](const Entry& e) { return is_finite_tensor(e.info.dtype, e.bytes); });
}

void SafetensorsWriter::add_bytes(std::string_view name, DType dtype, const Shape& shape, std::string_view bytes) {
  assert(name != "__metadata__");
  assert(std::ranges::none_of(entries_, [&](const Entry& entry) { return entry.info.name == name; }));
  assert(std::accumulate(shape.begin(), shape.end(), dtype_size(dtype), std::multiplies<>()) == bytes.size());
  entries_.push_back({{std::string(name), dtype, shape, 0, bytes.size()}, bytes});
}

// The file in parts: `start`, which receives the length and the header, and the values. Tensors with larger elements
// come first, so that each is aligned to its element size without gaps.
std::vector<std::string_view> SafetensorsWriter::layout(std::string& start) const {
  std::vector<Entry> entries = entries_;
  std::ranges::stable_sort(entries, std::greater<>(), [](const Entry& e) { return dtype_size(e.info.dtype); });
  std::vector<const TensorInfo*> tensors;
  std::size_t end = 0;
  for (Entry& entry : entries) {
    entry.info.begin = end;
    end += entry.bytes.size();
    entry.info.end = end;
    tensors.push_back(&entry.info);
  }
  start = print_safetensors_header(metadata_, tensors);

  std::vector<std::string_view> parts = {start};
  for (const Entry& entry : entries) parts.push_back(entry.bytes);
  // The part is a view of `start`, so both get the digits.
  start.replace(kChecksumPlace, kChecksumDigits, safetensors_checksum(parts));
  return parts;
}

void SafetensorsWriter::check_header() const {
  std::string start;
  layout(start);
}

void SafetensorsWriter::write(const std::filesystem::path& path, Links links) const {
  std::string start;
  const std::vector<std::string_view> parts = layout(start);
  FileWriter out(path, links);
  for (const std::string_view part : parts) out.write(part);
  out.commit();
}

std::string SafetensorsWriter::to_bytes() const {
  std::string start;
  std::string bytes;
  for (const std::string_view part : layout(start)) bytes += part;
  return bytes;
}

}  // namespace linn
