#include "linn/layers/embedding_lookup.h"

#include <algorithm>
#include <cassert>

#include "linn/kernels/elementwise.h"

namespace linn {

void RowGradients::clear() {
  occurrences_.clear();
  rows_.clear();
  cols_ = 0;
}

void RowGradients::add(std::span<const std::uint32_t> ids, const ConstMatrixView& gradients) {
  assert(ids.size() == gradients.rows && (occurrences_.empty() || gradients.cols == cols_));
  cols_ = gradients.cols;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    occurrences_.push_back({ids[i], static_cast<std::uint32_t>(occurrences_.size()), gradients.row(i)});
  }
}

void RowGradients::merge() {
  // The position makes the order unique, and std::sort, unlike a stable sort, needs no memory.
  std::ranges::sort(occurrences_, [](const Occurrence& a, const Occurrence& b) {
    return a.id != b.id ? a.id < b.id : a.position < b.position;
  });
  rows_.clear();
  for (const Occurrence& occurrence : occurrences_) {
    if (rows_.empty() || rows_.back() != occurrence.id) rows_.push_back(occurrence.id);
  }
  values_.reshape(rows_.size(), cols_);
  std::size_t row = 0;
  for (std::size_t i = 0; i < occurrences_.size(); ++i) {
    if (i > 0 && occurrences_[i].id == occurrences_[i - 1].id) {
      axpy(cols_, 1.0F, occurrences_[i].gradient, values_.row(row));
      continue;
    }
    if (i > 0) ++row;
    std::copy_n(occurrences_[i].gradient, cols_, values_.row(row));
  }
}

}  // namespace linn
