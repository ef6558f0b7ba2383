#include <vector>

#include "cuda/device_trial.h"
#include "linn/cuda/layout.h"
#include "linn/cuda/logic_pass.h"
#include "linn/nn/law_pass.h"

namespace linn::cuda {
namespace {

template <class T>
std::vector<T> downloaded(const Stream& stream, const T* data, std::size_t count) {
  std::vector<T> values(count);
  stream.download(values.data(), data, count);
  stream.wait();
  return values;
}

}  // namespace

struct DeviceTrial::Memory {
  explicit Memory(const LogicNetwork& trial_network)
      : network(trial_network),
        layout(trial_network),
        pass(stream, 64 * 1024),
        weights(layout.size()),
        gradients(layout.size()),
        truth(trial_network.width()) {}

  const LogicNetwork& network;
  Layout layout;
  Stream stream;
  LogicPass pass;
  Buffer<float> weights, gradients, truth;
};

DeviceTrial::DeviceTrial(const LogicNetwork& network) : memory_(std::make_unique<Memory>(network)) {
  std::vector<float> block;
  memory_->layout.to_device(network.parameters().values(), block);
  memory_->stream.upload<float>(memory_->weights.data(), block.data(), block.size());
  memory_->stream.upload<float>(memory_->truth.data(), network.true_vector().data(), network.width());
  memory_->stream.wait();
}

DeviceTrial::~DeviceTrial() = default;

bool DeviceTrial::uses_chains() const { return memory_->pass.uses_chains(); }

float factor_of_dropout(std::uint64_t seed, std::uint64_t place, float rate) {
  return dropout_factor(seed, place, rate);
}

EngineResult DeviceTrial::run(const Plan& plan, std::span<const float> table, std::span<const float> d_scores,
                              const RegularizerOptions& regularizers, Random& random, bool avoid_chains) {
  auto& [network, layout, stream, pass, weights, gradient_block, truth] = *memory_;
  LawRows negated;
  LawRows other;
  if (regularizers.any_law()) choose_law_rows(plan, regularizers, kLaneCount, &random, negated, other);
  PlanUpload upload;
  Staging staging;
  upload.add(plan, &regularizers, &negated, &other, staging);
  staging.send(stream);
  Pass m;
  m.shape = layout.shape();
  m.weights = layout.parts_of(weights.data());
  m.true_vector = truth.data();
  std::ranges::copy(regularizers.laws, m.law_scale);
  m.length = regularizers.length;
  m.squared_length = regularizers.squared_length;
  if (avoid_chains) pass.avoid_chains();
  pass.bind(m, plan, upload, staging, true);
  Buffer<float> on_device(table.size());
  Buffer<float> d_on_device(std::max<std::size_t>(d_scores.size(), 1));
  stream.upload<float>(on_device.data(), table.data(), table.size());
  stream.upload<float>(d_on_device.data(), d_scores.data(), d_scores.size());
  stream.clear(gradient_block.data(), layout.size());
  EngineResult result;
  pass.forward(on_device.data());
  result.scores = downloaded(stream, pass.scores(), plan.roots.size());
  pass.begin_backward();
  pass.add_score_gradients(d_on_device.data());
  const Weights gradients = layout.parts_of(gradient_block.data());
  pass.backward(&gradients);
  const std::size_t d = network.width();
  result.d_variables = downloaded(stream, pass.pass().d_vector(kFirstVariable), plan.variables.size() * d);
  const std::vector<float> block = downloaded(stream, gradient_block.data(), layout.size());
  result.d_parameters.assign(network.parameters().values().size(), 0.0F);
  layout.to_host(block, result.d_parameters);
  if (regularizers.any_law()) {
    const std::size_t rows = pass.pass().plan.law_rows + std::size_t{1};
    const std::vector<float> values = downloaded(stream, pass.pass().law_values, kLaws * rows);
    for (std::size_t i = 0; i < values.size(); ++i) {
      result.regularizers.laws[i / rows] += static_cast<double>(values[i]);
    }
  }
  for (const float value : downloaded(stream, pass.pass().length_values, plan.size())) {
    result.regularizers.length += static_cast<double>(value);
  }
  return result;
}

}  // namespace linn::cuda
