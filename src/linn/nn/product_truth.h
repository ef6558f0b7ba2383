// The truth of AND(a, b) for all pairs of rows, where AND is a product and the similarity a dot product. Row by row,
//
//   AND(a, b) = (a P) * (b Q)        T·AND(a, b) = (T * (a P))·(b Q)
//
// so the truth of a pair, before the sigmoid, is the product of a query q(a) = T * (a P) and a key k(b) = b Q. No
// vector is made for a pair.
#pragma once

#include <cstddef>
#include <vector>

#include "linn/base/aligned.h"
#include "linn/base/thread_pool.h"
#include "linn/nn/lanes.h"
#include "linn/nn/logic_network.h"
#include "linn/nn/parameters.h"

namespace linn {

// Whether ProductTruth knows such networks.
bool has_product_truth(const NetworkOptions& options);

class ProductTruth {
 public:
  // The network must outlive it.
  explicit ProductTruth(const LogicNetwork& network);

  // All matrices have rows of the network's width without gaps.
  void queries(std::size_t rows, const float* a, float* q, ThreadPool& threads) const;
  void keys(std::size_t rows, const float* b, float* k, ThreadPool& threads) const;

  // From the gradients of queries or keys: writes those of a or b. Overwrites d_q.
  void queries_backward(std::size_t rows, const float* a, float* d_q, float* d_a, ThreadPool& threads);
  void keys_backward(std::size_t rows, const float* b, const float* d_k, float* d_b, ThreadPool& threads);
  // After both: adds the gradients of P and Q.
  void add_gradients(ParameterGradients& gradients) const;

 private:
  struct Side {
    std::size_t parameter;
    AlignedArray<float> transposed;
    std::vector<AlignedArray<float>> lanes;  // gradients
  };
  void side_backward(Side& side, std::size_t rows, const float* x, const float* d_y, float* d_x, ThreadPool& threads);

  const LogicNetwork& network_;
  Side left_, right_;  // P and Q
};

}  // namespace linn
