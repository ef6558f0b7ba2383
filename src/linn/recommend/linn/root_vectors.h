// The vectors of expressions under a trained network.
#pragma once

#include "linn/base/aligned.h"
#include "linn/base/thread_pool.h"
#include "linn/nn/embedding.h"
#include "linn/nn/logic_network.h"
#include "linn/plan/expression_batch.h"

namespace linn {

// One row per expression of the batch.
AlignedArray<float> root_vectors(const LogicNetwork& network, const EmbeddingTable& variables,
                                 const ExpressionBatch& batch, ThreadPool& threads);

}  // namespace linn
