#include "linn/equations/sequence_network.h"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "linn/kernels/elementwise.h"
#include "linn/layers/bidirectional.h"
#include "linn/layers/convolution.h"
#include "linn/layers/lstm.h"
#include "linn/layers/rnn.h"

namespace linn {
namespace {

constexpr std::array<std::pair<std::string_view, SequenceKind>, 3> kNames = {
    {{"bi-rnn", SequenceKind::kBiRnn}, {"bi-lstm", SequenceKind::kBiLstm}, {"cnn", SequenceKind::kCnn}}};

template <class Layer>
class RecurrentEncoder : public TokenEncoder {
 public:
  RecurrentEncoder(ParameterSet& parameters, const std::string& name, std::size_t inputs, std::size_t size)
      : layer_(parameters, name, inputs, size) {}

  struct LayerCache : Cache {
    typename Bidirectional<Layer>::Cache layer;
    Matrix h, dh;
  };

  std::size_t outputs() const override { return 2 * layer_.size(); }
  std::unique_ptr<Cache> make_cache() const override { return std::make_unique<LayerCache>(); }

  void forward(const ParameterSet& parameters, const SequenceBatch& batch, const ConstMatrixView& x,
               const MatrixView& states, Cache& cache) const override {
    auto& own = static_cast<LayerCache&>(cache);
    own.h.reshape(batch.rows(), outputs());
    layer_.forward(parameters, batch, x, own.h.view(), own.layer);
    layer_.final_states(batch, own.h.view(), states);
  }

  void backward(const ParameterSet& parameters, ParameterGradients& gradients, const SequenceBatch& batch,
                const ConstMatrixView& x, const ConstMatrixView& /*states*/, const ConstMatrixView& dstates,
                const MatrixView& dx, Cache& cache) const override {
    auto& own = static_cast<LayerCache&>(cache);
    own.dh.reshape(batch.rows(), outputs());
    layer_.final_states_backward(batch, dstates, own.dh.view());
    layer_.backward(parameters, gradients, batch, x, own.h.view(), own.dh.view(), dx, own.layer);
  }

 private:
  Bidirectional<Layer> layer_;
};

class ConvolutionEncoder : public TokenEncoder {
 public:
  ConvolutionEncoder(ParameterSet& parameters, const std::string& name, std::size_t inputs, std::size_t filters,
                     std::size_t widest) {
    for (std::size_t width = 2; width <= widest; ++width) {
      layers_.emplace_back(parameters, fmt::format("{}{}", name, width), inputs, filters, width);
    }
  }

  struct LayersCache : Cache {
    std::vector<Convolution::Cache> layers;
    Matrix dx;
  };

  std::size_t outputs() const override { return layers_.size() * layers_[0].filters(); }
  std::unique_ptr<Cache> make_cache() const override {
    auto cache = std::make_unique<LayersCache>();
    cache->layers.resize(layers_.size());
    return cache;
  }

  void forward(const ParameterSet& parameters, const SequenceBatch& batch, const ConstMatrixView& x,
               const MatrixView& states, Cache& cache) const override {
    auto& own = static_cast<LayersCache&>(cache);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      layers_[i].forward(parameters, batch, x, columns(states, i), own.layers[i]);
    }
  }

  void backward(const ParameterSet& parameters, ParameterGradients& gradients, const SequenceBatch& batch,
                const ConstMatrixView& x, const ConstMatrixView& states, const ConstMatrixView& dstates,
                const MatrixView& dx, Cache& cache) const override {
    auto& own = static_cast<LayersCache&>(cache);
    own.dx.reshape(dx.rows, dx.cols);
    fill_matrix(dx, 0.0F);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      layers_[i].backward(parameters, gradients, batch, x, columns(states, i), columns(dstates, i), own.dx.view(),
                          own.layers[i]);
      add_matrix(own.dx.view(), dx);
    }
  }

 private:
  template <class View>
  View columns(const View& view, std::size_t layer) const {
    return column_range(view, layer * layers_[layer].filters(), layers_[layer].filters());
  }

  std::vector<Convolution> layers_;
};

std::unique_ptr<TokenEncoder> make_encoder(ParameterSet& parameters, const SequenceNetworkOptions& options) {
  switch (options.kind) {
    case SequenceKind::kBiRnn:
      return std::make_unique<RecurrentEncoder<Rnn>>(parameters, "rnn", options.width, options.hidden);
    case SequenceKind::kBiLstm:
      return std::make_unique<RecurrentEncoder<Lstm>>(parameters, "lstm", options.width, options.hidden);
    case SequenceKind::kCnn:
      break;
  }
  return std::make_unique<ConvolutionEncoder>(parameters, "convolution", options.width, options.hidden, options.widest);
}

}  // namespace

std::string_view sequence_kind_name(SequenceKind kind) {
  for (const auto& [name, value] : kNames) {
    if (value == kind) return name;
  }
  return {};
}

std::optional<SequenceKind> sequence_kind(std::string_view name) {
  for (const auto& [known, value] : kNames) {
    if (known == name) return value;
  }
  return std::nullopt;
}

SequenceNetwork::SequenceNetwork(const SequenceNetworkOptions& options)
    : options_(options),
      encoder_(make_encoder(parameters_, options)),
      first_(parameters_, "score.hidden", encoder_->outputs(), options.hidden),
      last_(parameters_, "score.out", options.hidden, 1) {}

void SequenceNetwork::forward(const SequenceBatch& batch, const ConstMatrixView& x, const MatrixView& scores,
                              Cache& cache) const {
  if (!cache.encoder) cache.encoder = encoder_->make_cache();
  cache.states.reshape(batch.sequences(), encoder_->outputs());
  cache.hidden.reshape(batch.sequences(), options_.hidden);
  encoder_->forward(parameters_, batch, x, cache.states.view(), *cache.encoder);
  first_.forward(parameters_, cache.states.view(), cache.hidden.view(), cache.first);
  relu(cache.hidden.span().size(), cache.hidden.data(), cache.hidden.data());
  last_.forward(parameters_, cache.hidden.view(), scores, cache.last);
}

void SequenceNetwork::backward(ParameterGradients& gradients, const SequenceBatch& batch, const ConstMatrixView& x,
                               const ConstMatrixView& dscores, const MatrixView& dx, Cache& cache) const {
  cache.dhidden.reshape(cache.hidden.rows(), cache.hidden.cols());
  cache.dstates.reshape(cache.states.rows(), cache.states.cols());
  last_.backward(parameters_, gradients, cache.hidden.view(), dscores, cache.dhidden.view(), cache.last);
  relu_backward(cache.hidden.span().size(), cache.hidden.data(), cache.dhidden.data(), cache.dhidden.data());
  first_.backward(parameters_, gradients, cache.states.view(), cache.dhidden.view(), cache.dstates.view(), cache.first);
  encoder_->backward(parameters_, gradients, batch, x, cache.states.view(), cache.dstates.view(), dx, *cache.encoder);
}

}  // namespace linn
