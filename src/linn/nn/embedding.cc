#include "linn/nn/embedding.h"

#include <utility>

namespace linn {

EmbeddingTable::EmbeddingTable(std::string name, std::size_t rows, std::size_t width)
    : name_(std::move(name)), rows_(rows), width_(width), values_(rows * width) {}

void EmbeddingTable::initialize_normal(Random& random, float deviation) {
  for (float& value : values_.span()) value = deviation * static_cast<float>(random.normal());
}

}  // namespace linn
