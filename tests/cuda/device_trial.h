// One pass on the device, for comparison with the CPU.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "linn/cuda/layout.h"
#include "linn/cuda/logic_pass.h"
#include "linn/nn/law_pass.h"
#include "nn/random_network.h"

namespace linn::cuda {

// Within a share of the largest element: sums are taken in another order.
inline void expect_near(std::span<const float> expected, std::span<const float> found, const char* what,
                        float share = 2e-4F) {
  ASSERT_EQ(expected.size(), found.size()) << what;
  float largest = 1e-3F;
  for (const float value : expected) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(expected[i], found[i], share * largest) << what << " [" << i << "] of " << expected.size();
  }
}

template <class T>
std::vector<T> downloaded(const Stream& stream, const T* data, std::size_t count) {
  std::vector<T> values(count);
  stream.download(values.data(), data, count);
  stream.wait();
  return values;
}

class DeviceTrial {
 public:
  explicit DeviceTrial(const LogicNetwork& network) : network_(network), layout_(network), pass_(stream_, 64 * 1024) {
    std::vector<float> block;
    layout_.to_device(network.parameters().values(), block);
    weights_.reshape(block.size());
    gradients_.reshape(block.size());
    true_.reshape(network.width());
    stream_.upload(weights_.data(), block.data(), block.size());
    stream_.upload(true_.data(), network.true_vector().data(), network.width());
    stream_.wait();
  }

  EngineResult run(const Plan& plan, std::span<const float> table, std::span<const float> d_scores,
                   const RegularizerOptions& regularizers, Random& random, bool avoid_chains) {
    LawRows negated;
    LawRows other;
    if (regularizers.any_law()) choose_law_rows(plan, regularizers, &random, negated, other);
    PlanUpload upload;
    Staging staging;
    upload.add(plan, &regularizers, &negated, &other, staging);
    staging.send(stream_);
    Pass m;
    m.shape = layout_.shape();
    m.weights = layout_.parts_of(weights_.data());
    m.true_vector = true_.data();
    std::ranges::copy(regularizers.laws, m.law_scale);
    m.length = regularizers.length;
    m.squared_length = regularizers.squared_length;
    if (avoid_chains) pass_.avoid_chains();
    pass_.bind(m, plan, upload, staging, true);
    Buffer<float> on_device(table.size());
    Buffer<float> d_on_device(std::max<std::size_t>(d_scores.size(), 1));
    stream_.upload(on_device.data(), table.data(), table.size());
    stream_.upload(d_on_device.data(), d_scores.data(), d_scores.size());
    stream_.clear(gradients_.data(), layout_.size());
    EngineResult result;
    pass_.forward(on_device.data());
    result.scores = downloaded(stream_, pass_.scores(), plan.roots.size());
    pass_.begin_backward();
    pass_.add_score_gradients(d_on_device.data());
    const Weights gradients = layout_.parts_of(gradients_.data());
    pass_.backward(&gradients);
    const std::size_t d = network_.width();
    result.d_variables = downloaded(stream_, pass_.pass().d_vector(kFirstVariable), plan.variables.size() * d);
    const std::vector<float> block = downloaded(stream_, gradients_.data(), layout_.size());
    result.d_parameters.assign(network_.parameters().values().size(), 0.0F);
    layout_.to_host(block, result.d_parameters);
    if (regularizers.any_law()) {
      const std::size_t rows = pass_.pass().plan.law_rows + std::size_t{1};
      const std::vector<float> values = downloaded(stream_, pass_.pass().law_values, kLaws * rows);
      for (std::size_t i = 0; i < values.size(); ++i) {
        result.regularizers.laws[i / rows] += static_cast<double>(values[i]);
      }
    }
    for (const float value : downloaded(stream_, pass_.pass().length_values, plan.size())) {
      result.regularizers.length += static_cast<double>(value);
    }
    return result;
  }

  bool uses_chains() const { return pass_.uses_chains(); }

 private:
  const LogicNetwork& network_;
  Layout layout_;
  Stream stream_;
  LogicPass pass_;
  Buffer<float> weights_, gradients_, true_;
};

}  // namespace linn::cuda
