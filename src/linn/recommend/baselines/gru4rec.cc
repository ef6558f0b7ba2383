// GRU4Rec (Hidasi et al., 2016): the last state of a gated recurrent unit over the history.

#include "linn/layers/dropout.h"
#include "linn/layers/gru.h"
#include "linn/recommend/baselines/baselines.h"
#include "linn/recommend/baselines/query_model_kind.h"

namespace linn {
namespace {

struct Gru4RecCache {
  Matrix h;
  Matrix dh;
  Matrix dlast;
  Gru::Cache gru;
  Dropout::Cache dropout;
};

class Gru4RecEncoder : public CachedEncoder<Gru4RecCache> {
 public:
  Gru4RecEncoder(ParameterSet& parameters, std::size_t width, double dropout)
      : gru_(parameters, "gru", width, width), dropout_(dropout) {}

  // h_t = GRU(x_t, h_(t-1))        q = dropout(h_n)
  void forward(const ParameterSet& parameters, const SequenceBatch& batch, const SequenceElements& ends,
               const ConstMatrixView& x, Random* random, const MatrixView& q, Memory& memory) const override {
    Gru4RecCache& cache = cache_of(memory);
    cache.h.reshape(batch.rows(), gru_.size());
    gru_.forward(parameters, batch, x, cache.h.view(), cache.gru);
    gather_rows(cache.h.view(), ends.rows, q);
    dropout_.forward(q, random, q, cache.dropout);
  }

  void backward(const ParameterSet& parameters, ParameterGradients& gradients, const SequenceBatch& batch,
                const SequenceElements& ends, const ConstMatrixView& x, const ConstMatrixView& dq, const MatrixView& dx,
                Memory& memory) const override {
    Gru4RecCache& cache = cache_of(memory);
    cache.dh.reshape(batch.rows(), gru_.size());
    cache.dlast.reshape(ends.size(), gru_.size());
    dropout_.backward(dq, cache.dlast.view(), cache.dropout);
    cache.dh.fill(0);
    scatter_rows(cache.dlast.view(), ends.rows, cache.dh.view());
    gru_.backward(parameters, gradients, batch, x, cache.h.view(), cache.dh.view(), dx, cache.gru);
  }

 private:
  Gru gru_;
  Dropout dropout_;
};

class Gru4RecKind : public QueryModelKind<QueryModelOptions> {
 public:
  std::string_view name() const override { return "gru4rec"; }
  double cost() const override { return 120.0; }

 protected:
  BestSettings best() const override { return {2e-3, 1e-6, 0.2F, 20, 4e-3}; }
  // The published model has output biases.
  QueryDesign design(const QueryModelOptions& options) const override {
    return {.item_biases = true, .make_encoder = [options](ParameterSet& parameters) {
              return std::make_unique<Gru4RecEncoder>(parameters, options.width, options.dropout);
            }};
  }
};

}  // namespace

std::unique_ptr<const RecommenderKind> gru4rec_kind() { return std::make_unique<Gru4RecKind>(); }

}  // namespace linn
