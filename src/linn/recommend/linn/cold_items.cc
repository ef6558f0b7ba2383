#include "linn/recommend/linn/cold_items.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "linn/base/error.h"
#include "linn/kernels/symmetric_matrix.h"

namespace linn {
namespace {

constexpr std::uint32_t kNoColumn = ~std::uint32_t{0};
constexpr double kSmallRidge = 1e-3;

}  // namespace

ColdItems::ColdItems(const ItemCategories& categories, const ItemCounts& counts) {
  std::vector<std::size_t> frequency(categories.count());
  double weights = 0.0;
  std::size_t trained = 0;
  const auto weight_of = [&](ItemId item) { return std::pow(static_cast<double>(counts.users[item]), kPower); };
  for (ItemId item = 0; item < counts.users.size(); ++item) {
    if (counts.users[item] == 0) continue;
    ++trained;
    weights += weight_of(item);
    for (const std::uint32_t category : categories.of(item)) ++frequency[category];
  }
  std::vector<std::uint32_t> learned(categories.count());
  std::iota(learned.begin(), learned.end(), 0U);
  std::erase_if(learned, [&](std::uint32_t category) { return frequency[category] < 2; });
  std::ranges::stable_sort(learned, std::greater<>(), [&](std::uint32_t category) { return frequency[category]; });
  learned.resize(std::min(learned.size(), kMostCategories));
  column_of_.assign(categories.count(), kNoColumn);
  for (const std::uint32_t category : learned) column_of_[category] = static_cast<std::uint32_t>(columns_++);
  ++columns_;

  for (ItemId item = 0; item < counts.users.size(); ++item) {
    if (counts.users[item] > 0) {
      trained_rows_.push_back(row_of(item, weight_of(item) * static_cast<double>(trained) / weights, categories));
      continue;
    }
    Row row = row_of(item, 0.0, categories);
    if (row.ones.size() == 1) continue;
    cold_.push_back(item);
    cold_rows_.push_back(std::move(row));
  }
}

ColdItems::Row ColdItems::row_of(ItemId item, double weight, const ItemCategories& categories) const {
  Row row{item, weight, {}};
  for (const std::uint32_t category : categories.of(item)) {
    if (column_of_[category] != kNoColumn) row.ones.push_back(column_of_[category]);
  }
  row.ones.push_back(static_cast<std::uint32_t>(columns_ - 1));
  return row;
}

void ColdItems::make(EmbeddingTable& vectors, ThreadPool& threads) {
  assert(!are_made());
  if (cold_rows_.empty()) return;
  const std::size_t d = vectors.width();
  SymmetricMatrix gram(columns_);
  std::vector<double> sums(columns_ * d);  // Xᵀ W V
  for (std::size_t i = 0; i < columns_; ++i) gram.at(i, i) = i + 1 == columns_ ? kSmallRidge : kRidge;
  for (const Row& row : trained_rows_) {
    const float* vector = vectors.row(row.item);
    for (const std::uint32_t one : row.ones) {
      for (const std::uint32_t other : row.ones) {
        if (other <= one) gram.at(one, other) += row.weight;
      }
      for (std::size_t k = 0; k < d; ++k) sums[one * d + k] += row.weight * vector[k];
    }
  }
  if (!invert_positive_definite(gram, threads)) throw Failure("the categories of the items have no regression");
  std::vector<double> coefficients(columns_ * d);
  threads.run(columns_, [&](std::size_t i, std::size_t) {
    for (std::size_t j = 0; j < columns_; ++j) {
      const double inverse = gram.at(std::max(i, j), std::min(i, j));
      for (std::size_t k = 0; k < d; ++k) coefficients[i * d + k] += inverse * sums[j * d + k];
    }
  });
  for (const Row& row : cold_rows_) {
    float* vector = vectors.row(row.item);
    kept_.insert(kept_.end(), vector, vector + d);
    for (std::size_t k = 0; k < d; ++k) {
      double sum = 0.0;
      for (const std::uint32_t one : row.ones) sum += coefficients[one * d + k];
      vector[k] = static_cast<float>(sum);
    }
  }
}

void ColdItems::restore(EmbeddingTable& vectors) {
  const std::size_t d = vectors.width();
  for (std::size_t i = 0; i < cold_.size(); ++i) {
    std::copy_n(kept_.data() + i * d, d, vectors.row(cold_[i]));
  }
  kept_.clear();
}

}  // namespace linn
