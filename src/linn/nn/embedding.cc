#include "linn/nn/embedding.h"

#include <cmath>
#include <utility>

#include "linn/kernels/elementwise.h"

namespace linn {

EmbeddingTable::EmbeddingTable(std::string name, std::size_t rows, std::size_t width)
    : name_(std::move(name)), rows_(rows), width_(width), values_(rows * width) {}

void EmbeddingTable::initialize_normal(Random& random, float deviation) {
  for (float& value : values_.span()) value = deviation * static_cast<float>(random.normal());
}

double mean_norm(const EmbeddingTable& table) {
  double sum = 0.0;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    sum += std::sqrt(static_cast<double>(squared_norm(table.width(), table.row(i))));
  }
  return table.rows() == 0 ? 0.0 : sum / static_cast<double>(table.rows());
}

}  // namespace linn
