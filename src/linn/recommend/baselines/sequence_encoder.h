// Encodes a history, and its beginnings, as one vector each.
#pragma once

#include <memory>

#include "linn/base/random.h"
#include "linn/layers/layer.h"
#include "linn/layers/sequence_batch.h"

namespace linn {

// Like a layer, an encoder is const and shared by threads; each thread passes a memory of its own that holds what
// backward() needs from forward(). Inputs x are packed, one row per event; results q have one row per element of
// `ends`: the vector of the history up to and including that event. x, q and dx have the width of the model's vectors.
class SequenceEncoder {
 public:
  class Memory {
   public:
    virtual ~Memory() = default;
  };

  virtual ~SequenceEncoder() = default;
  virtual std::unique_ptr<Memory> make_memory() const = 0;

  // Without a generator there is no dropout.
  virtual void forward(const ParameterSet& parameters, const SequenceBatch& batch, const SequenceElements& ends,
                       const ConstMatrixView& x, Random* random, const MatrixView& q, Memory& memory) const = 0;
  // Writes dx and adds to the gradients of the parameters.
  virtual void backward(const ParameterSet& parameters, ParameterGradients& gradients, const SequenceBatch& batch,
                        const SequenceElements& ends, const ConstMatrixView& x, const ConstMatrixView& dq,
                        const MatrixView& dx, Memory& memory) const = 0;
};

// An encoder whose memory is a struct `Cache`.
template <class Cache>
class CachedEncoder : public SequenceEncoder {
 public:
  std::unique_ptr<Memory> make_memory() const override { return std::make_unique<Holder>(); }

 protected:
  static Cache& cache_of(Memory& memory) { return static_cast<Holder&>(memory).cache; }

 private:
  struct Holder : Memory {
    Cache cache;
  };
};

}  // namespace linn
