// The vectors of the events of a history: a liked item's own vector, and one derived from it for a disliked item.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "linn/layers/embedding_lookup.h"
#include "linn/layers/layer.h"
#include "linn/layers/linear.h"
#include "linn/nn/embedding.h"
#include "linn/recommend/protocol/histories.h"
#include "linn/recommend/protocol/recommender_options.h"

namespace linn {

// With v the vector of a disliked item:
//   minus      -v
//   embedding  a vector of a second table
//   network    W2·relu(W1·v + b1) + b2
// With mode none, histories have no dislikes.
class HistoryVectors {
 public:
  // Any mode except logic.
  HistoryVectors(ParameterSet& parameters, DislikeMode dislikes, std::size_t width);

  struct Cache {
    std::vector<std::uint32_t> disliked;  // rows of x
    Matrix inputs;
    Matrix hidden;
    Matrix outputs;  // or their gradients
    Matrix dhidden;
    Matrix dinputs;
    Linear::Cache first;
    Linear::Cache second;
  };

  bool has_second_table() const { return dislikes_ == DislikeMode::kEmbedding; }
  // Whether an event is looked up in the second table.
  bool in_second_table(const Event& event) const { return has_second_table() && !event.liked; }

  // Writes one row of x per event. `second` is ignored unless has_second_table().
  void forward(const ParameterSet& parameters, const EmbeddingTable& liked, const EmbeddingTable* second,
               std::span<const Event> events, const MatrixView& x, Cache& cache) const;
  // Turns the gradient of x into the gradient of the rows that were looked up, in place.
  void backward(const ParameterSet& parameters, ParameterGradients& gradients, const MatrixView& dx,
                Cache& cache) const;

 private:
  DislikeMode dislikes_;
  std::size_t width_;
  std::optional<Linear> first_;
  std::optional<Linear> second_;
};

}  // namespace linn
