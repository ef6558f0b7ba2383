// Networks that score a sequence of vectors: the paper's Bi-RNN, Bi-LSTM and CNN.
//
//   state = the last states of both directions (Schuster & Paliwal, 1997; Graves & Schmidhuber, 2005), or the
//   max-pooled
//           responses of filters of several widths (Kim, 2014)
//   score = w . relu(W state + b) + c
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "linn/layers/linear.h"
#include "linn/layers/sequence_batch.h"
#include "linn/logic/normal_form.h"

namespace linn {

enum class SequenceKind : std::uint8_t { kBiRnn, kBiLstm, kCnn };

// "bi-rnn", "bi-lstm", "cnn".
std::string_view sequence_kind_name(SequenceKind kind);
std::optional<SequenceKind> sequence_kind(std::string_view name);

struct SequenceNetworkOptions {
  SequenceKind kind = SequenceKind::kBiRnn;
  std::size_t width = 64;   // of the tokens' vectors
  std::size_t hidden = 64;  // states per direction, or filters per width; also the width of the layer after them
  std::size_t widest = 5;   // filters have the widths 2, 3, ..., widest
  Form form = Form::kDnf;   // of the expressions
};

// Encodes a packed matrix of vectors as one row per sequence. Like all layers it is const, and threads can share it.
class TokenEncoder {
 public:
  struct Cache {
    virtual ~Cache() = default;
  };

  virtual ~TokenEncoder() = default;
  virtual std::size_t outputs() const = 0;
  virtual std::unique_ptr<Cache> make_cache() const = 0;
  virtual void forward(const ParameterSet& parameters, const SequenceBatch& batch, const ConstMatrixView& x,
                       const MatrixView& states, Cache& cache) const = 0;
  virtual void backward(const ParameterSet& parameters, ParameterGradients& gradients, const SequenceBatch& batch,
                        const ConstMatrixView& x, const ConstMatrixView& states, const ConstMatrixView& dstates,
                        const MatrixView& dx, Cache& cache) const = 0;
};

class SequenceNetwork {
 public:
  explicit SequenceNetwork(const SequenceNetworkOptions& options);

  const SequenceNetworkOptions& options() const { return options_; }
  ParameterSet& parameters() { return parameters_; }
  const ParameterSet& parameters() const { return parameters_; }

  struct Cache {
    std::unique_ptr<TokenEncoder::Cache> encoder;
    Matrix states, hidden, dstates, dhidden;
    Linear::Cache first, last;
  };

  // One score per sequence, in the sorted order of the batch. Threads may share the network, each with its own cache
  // and gradients.
  void forward(const SequenceBatch& batch, const ConstMatrixView& x, const MatrixView& scores, Cache& cache) const;
  // Adds to the gradients of the parameters.
  void backward(ParameterGradients& gradients, const SequenceBatch& batch, const ConstMatrixView& x,
                const ConstMatrixView& dscores, const MatrixView& dx, Cache& cache) const;

 private:
  SequenceNetworkOptions options_;
  ParameterSet parameters_;
  std::unique_ptr<TokenEncoder> encoder_;
  Linear first_;
  Linear last_;
};

}  // namespace linn
