// The truth of AND(a, b) for all pairs of rows, where AND has a product and the similarity is a dot product. Row by
// row,
//
//   AND(a, b) = (a P) * (b Q)                                         structure product
//   AND(a, b) = (a P) * (b Q) + relu(a L + b R + c) W + w             structure mlp_product
//
// so the truth of a pair, before the sigmoid, comes from a query (q, A) of a and a key (k, B) of b:
//
//   T·AND(a, b) = q·k + Σ_h u_h relu(A_h + B_h) + T·w
//
//   q = T * (a P)     A = a L + c        k = b Q     B = b R        u = W T
//
// No vector is made for a pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "linn/base/aligned.h"
#include "linn/base/thread_pool.h"
#include "linn/nn/lanes.h"
#include "linn/nn/logic_network.h"
#include "linn/nn/parameters.h"

namespace linn {

// Whether PairTruth can evaluate such networks.
bool has_pair_truth(const NetworkOptions& options);

// Rows without gaps. Without hidden units, `hidden` and `weights` are empty.
struct PairQueries {
  AlignedArray<float> product;  // q: rows x width
  AlignedArray<float> hidden;   // A: rows x hidden
  AlignedArray<float> weights;  // u, for all rows
};
struct PairKeys {
  AlignedArray<float> product;  // k: rows x width
  AlignedArray<float> hidden;   // B: rows x hidden
};

class PairTruth {
 public:
  // The network must outlive it.
  explicit PairTruth(const LogicNetwork& network);

  // The hidden units of AND; 0: the product alone.
  std::size_t hidden() const { return hidden_; }

  // Rows of a and b have the network's width, without gaps.
  void queries(std::size_t rows, const float* a, PairQueries& out, ThreadPool& threads) const;
  void keys(std::size_t rows, const float* b, PairKeys& out, ThreadPool& threads) const;
  // Reshape the gradients of so many rows.
  void reshape(std::size_t rows, PairQueries& gradients) const;
  void reshape(std::size_t rows, PairKeys& gradients) const;

  // T·AND of one query with `count` keys: those in `picked`, or the first ones if it is null.
  void truths(const PairQueries& queries, std::size_t query, const PairKeys& keys, std::size_t count,
              const std::uint32_t* picked, float* out) const;

  // From the gradients of queries or keys: writes those of a or b. Overwrites d.product of the queries.
  void queries_backward(std::size_t rows, const float* a, PairQueries& d, float* d_a, ThreadPool& threads);
  void keys_backward(std::size_t rows, const float* b, const PairKeys& d, float* d_b, ThreadPool& threads);
  // After both: adds the gradients of the parameters. Those of w are not included: a term that all pairs share has no
  // gradient under a softmax over the keys.
  void add_gradients(ParameterGradients& gradients) const;

 private:
  // A linear map y = x W of a row.
  struct Side {
    std::size_t parameter;
    std::size_t columns;
    AlignedArray<float> transposed;
    std::vector<AlignedArray<float>> lanes;  // gradients
  };
  // The hidden units.
  struct HiddenLayer {
    Side left, right;                     // L and R
    std::size_t bias;                     // c
    std::size_t out;                      // W
    std::optional<std::size_t> out_bias;  // w
    AlignedArray<float> d_bias, d_weights;
  };
  Side make_side(const char* name) const;
  const float* value(std::size_t parameter) const { return network_.parameters().value(parameter).data; }
  void side_backward(Side& side, std::size_t rows, const float* x, const float* d_y, float* d_x, bool accumulate,
                     ThreadPool& threads);

  const LogicNetwork& network_;
  std::size_t hidden_;
  Side left_, right_;  // P and Q
  std::optional<HiddenLayer> layer_;
};

}  // namespace linn
