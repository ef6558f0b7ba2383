#include "linn/nn/parameters.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace linn {

std::size_t ParameterSet::add(std::string name, std::size_t rows, std::size_t cols, ParameterKind kind) {
  assert(std::ranges::none_of(list_, [&](const ParameterInfo& p) { return p.name == name; }));
  constexpr std::size_t kFloatsPerLine = kCacheLine / sizeof(float);
  const std::size_t padded = (rows * cols + kFloatsPerLine - 1) / kFloatsPerLine * kFloatsPerLine;
  const std::size_t offset = values_.size();

  AlignedArray<float> grown(offset + padded);
  std::copy_n(values_.data(), offset, grown.data());
  values_ = std::move(grown);
  list_.push_back({std::move(name), rows, cols, offset, kind});
  return list_.size() - 1;
}

std::size_t ParameterSet::find(std::string_view name) const {
  const auto found = std::ranges::find(list_, name, &ParameterInfo::name);
  assert(found != list_.end());
  return static_cast<std::size_t>(found - list_.begin());
}

MatrixView ParameterSet::value(std::size_t parameter) {
  const ParameterInfo& info = list_[parameter];
  return {values_.data() + info.offset, info.rows, info.cols, info.cols};
}

ConstMatrixView ParameterSet::value(std::size_t parameter) const {
  const ParameterInfo& info = list_[parameter];
  return {values_.data() + info.offset, info.rows, info.cols, info.cols};
}

std::size_t ParameterSet::count() const {
  std::size_t total = 0;
  for (const ParameterInfo& info : list_) total += info.size();
  return total;
}

void ParameterSet::initialize_normal(Random& random, float deviation) {
  for (const ParameterInfo& info : list_) {
    for (float& value : values_.span().subspan(info.offset, info.size())) {
      value = deviation * static_cast<float>(random.normal());
    }
  }
}

void ParameterSet::initialize_glorot(Random& random) {
  for (const ParameterInfo& info : list_) {
    if (info.kind == ParameterKind::kBias) continue;
    const double root = std::sqrt(2.0 / static_cast<double>(info.rows + info.cols));
    for (float& value : values_.span().subspan(info.offset, info.size())) {
      value = static_cast<float>(root * random.normal());
    }
  }
}

ParameterGradients::ParameterGradients(const ParameterSet& parameters) : values_(parameters.values().size()) {
  places_.reserve(parameters.list().size());
  for (const ParameterInfo& info : parameters.list()) places_.push_back({info.offset, info.rows, info.cols});
}

MatrixView ParameterGradients::of(std::size_t parameter) {
  const Place& place = places_[parameter];
  return {values_.data() + place.offset, place.rows, place.cols, place.cols};
}

}  // namespace linn
