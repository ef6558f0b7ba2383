// NARM (Li et al., 2017): the last state of a recurrent encoder summarizes the whole history, and attention from that
// state over all states captures its main purpose.

#include "linn/layers/additive_attention.h"
#include "linn/layers/dropout.h"
#include "linn/layers/gru.h"
#include "linn/layers/linear.h"
#include "linn/recommend/baselines/baselines.h"
#include "linn/recommend/baselines/query_model_kind.h"

namespace linn {
namespace {

struct NarmCache {
  Matrix h;
  Matrix last;      // the global part
  Matrix local;     // the attended part
  Matrix combined;  // both side by side, after dropout
  Matrix dcombined;
  Matrix dlocal;
  Matrix dlast;
  Matrix dh;
  Gru::Cache gru;
  AdditiveAttention::Cache attention;
  Dropout::Cache dropout;
  Linear::Cache decoder;
};

class NarmEncoder : public CachedEncoder<NarmCache> {
 public:
  NarmEncoder(ParameterSet& parameters, std::size_t width, double dropout)
      : width_(width),
        gru_(parameters, "gru", width, width),
        attention_(parameters, "attention", width, width, width, /*bias=*/false),
        dropout_(dropout),
        decoder_(parameters, "decoder", 2 * width, width, /*bias=*/false) {}

  // h_t = GRU(x_t, h_(t-1))
  // α_t = v · sigmoid(A1·h_n + A2·h_t)        c = dropout([h_n ; Σ α_t h_t])
  // The bilinear decoder, score = vᵀ·B·c, is one product for the whole history: q = B·c.
  void forward(const ParameterSet& parameters, const SequenceBatch& batch, const SequenceElements& ends,
               const ConstMatrixView& x, Random* random, const MatrixView& q, Memory& memory) const override {
    NarmCache& cache = cache_of(memory);
    cache.h.reshape(batch.rows(), width_);
    cache.last.reshape(ends.size(), width_);
    cache.local.reshape(ends.size(), width_);
    cache.combined.reshape(ends.size(), 2 * width_);
    gru_.forward(parameters, batch, x, cache.h.view(), cache.gru);
    gather_rows(cache.h.view(), ends.rows, cache.last.view());
    attention_.forward(parameters, batch, ends, cache.h.view(), cache.last.view(), cache.local.view(), cache.attention);
    copy_matrix(cache.last.view(), column_range(cache.combined.view(), 0, width_));
    copy_matrix(cache.local.view(), column_range(cache.combined.view(), width_, width_));
    dropout_.forward(cache.combined.view(), random, cache.combined.view(), cache.dropout);
    decoder_.forward(parameters, cache.combined.view(), q, cache.decoder);
  }

  void backward(const ParameterSet& parameters, ParameterGradients& gradients, const SequenceBatch& batch,
                const SequenceElements& ends, const ConstMatrixView& x, const ConstMatrixView& dq, const MatrixView& dx,
                Memory& memory) const override {
    NarmCache& cache = cache_of(memory);
    cache.dcombined.reshape(ends.size(), 2 * width_);
    cache.dlast.reshape(ends.size(), width_);
    cache.dlocal.reshape(ends.size(), width_);
    cache.dh.reshape(batch.rows(), width_);
    const MatrixView dcombined = cache.dcombined.view();
    decoder_.backward(parameters, gradients, cache.combined.view(), dq, dcombined, cache.decoder);
    dropout_.backward(dcombined, dcombined, cache.dropout);
    copy_matrix(column_range(dcombined, width_, width_), cache.dlocal.view());
    attention_.backward(parameters, gradients, batch, ends, cache.h.view(), cache.last.view(), cache.dlocal.view(),
                        cache.dh.view(), cache.dlast.view(), cache.attention);
    // The last state is used three ways: as it is, as the query, and as one of those attended to.
    add_matrix(column_range(dcombined, 0, width_), cache.dlast.view());
    add_to_rows(cache.dlast.view(), ends.rows, cache.dh.view());
    gru_.backward(parameters, gradients, batch, x, cache.h.view(), cache.dh.view(), dx, cache.gru);
  }

 private:
  std::size_t width_;
  Gru gru_;
  AdditiveAttention attention_;
  Dropout dropout_;
  Linear decoder_;
};

class NarmKind : public QueryModelKind<QueryModelOptions> {
 public:
  std::string_view name() const override { return "narm"; }
  double cost() const override { return 180.0; }

 protected:
  BestSettings best() const override { return {2e-3, 1e-6, 0.2F, 20, 4e-3}; }
  QueryDesign design(const QueryModelOptions& options) const override {
    return {.make_encoder = [options](ParameterSet& parameters) {
      return std::make_unique<NarmEncoder>(parameters, options.width, options.dropout);
    }};
  }
};

}  // namespace

std::unique_ptr<const RecommenderKind> narm_kind() { return std::make_unique<NarmKind>(); }

}  // namespace linn
