// STAMP (Liu et al., 2018): attention over the history from its last event and its mean, combined with the last event.

#include "linn/kernels/activations.h"
#include "linn/kernels/elementwise.h"
#include "linn/layers/additive_attention.h"
#include "linn/layers/linear.h"
#include "linn/recommend/baselines/baselines.h"
#include "linn/recommend/baselines/query_model_kind.h"

namespace linn {
namespace {

struct StampCache {
  Matrix query;     // the last event and the mean side by side
  Matrix attended;  // m_a
  Matrix memory;    // h_s
  Matrix last;      // h_t
  Matrix dmemory;
  Matrix dlast;
  Matrix dattended;
  Matrix dquery;
  Matrix dlast_event;
  AdditiveAttention::Cache attention;
  Linear::Cache memory_cache;
  Linear::Cache last_cache;
};

class StampEncoder : public CachedEncoder<StampCache> {
 public:
  StampEncoder(ParameterSet& parameters, std::size_t width)
      : width_(width),
        attention_(parameters, "attention", width, 2 * width, width),
        memory_(parameters, "memory", width, width),
        last_(parameters, "last", width, width) {}

  // m_s = (1/n) Σ x_t                                  m_t = x_n
  // α_t = w0 · sigmoid(W1·x_t + W2·m_t + W3·m_s + b)   m_a = Σ α_t x_t
  // h_s = tanh(W_s·m_a + b_s)                          h_t = tanh(W_t·m_t + b_t)
  // The trilinear score Σ h_s·h_t·v is a dot product with q = h_s ⊙ h_t.
  void forward(const ParameterSet& parameters, const SequenceBatch& batch, const SequenceElements& ends,
               const ConstMatrixView& x, Random* /*random*/, const MatrixView& q, Memory& memory) const override {
    StampCache& cache = cache_of(memory);
    cache.query.reshape(ends.size(), 2 * width_);
    for (Matrix* matrix : {&cache.attended, &cache.memory, &cache.last}) matrix->reshape(ends.size(), width_);

    const MatrixView last_event = column_range(cache.query.view(), 0, width_);
    const MatrixView mean = column_range(cache.query.view(), width_, width_);
    gather_rows(x, ends.rows, last_event);
    fill_matrix(mean, 0);
    for_each_up_to(batch, ends, [&](std::size_t row, std::size_t end, std::size_t length) {
      axpy(width_, 1.0F / static_cast<float>(length), x.row(row), mean.row(end));
    });
    attention_.forward(parameters, batch, ends, x, cache.query.view(), cache.attended.view(), cache.attention);

    memory_.forward(parameters, cache.attended.view(), cache.memory.view(), cache.memory_cache);
    tanh(cache.memory.span().size(), cache.memory.data(), cache.memory.data());
    last_.forward(parameters, last_event, cache.last.view(), cache.last_cache);
    tanh(cache.last.span().size(), cache.last.data(), cache.last.data());
    for (std::size_t i = 0; i < ends.size(); ++i) {
      for (std::size_t j = 0; j < width_; ++j) q.row(i)[j] = cache.memory.row(i)[j] * cache.last.row(i)[j];
    }
  }

  void backward(const ParameterSet& parameters, ParameterGradients& gradients, const SequenceBatch& batch,
                const SequenceElements& ends, const ConstMatrixView& x, const ConstMatrixView& dq, const MatrixView& dx,
                Memory& memory) const override {
    StampCache& cache = cache_of(memory);
    cache.dquery.reshape(ends.size(), 2 * width_);
    for (Matrix* matrix : {&cache.dmemory, &cache.dlast, &cache.dattended, &cache.dlast_event}) {
      matrix->reshape(ends.size(), width_);
    }
    for (std::size_t i = 0; i < ends.size(); ++i) {
      for (std::size_t j = 0; j < width_; ++j) {
        cache.dmemory.row(i)[j] = dq.row(i)[j] * cache.last.row(i)[j];
        cache.dlast.row(i)[j] = dq.row(i)[j] * cache.memory.row(i)[j];
      }
    }
    const std::size_t size = ends.size() * width_;
    tanh_backward(size, cache.memory.data(), cache.dmemory.data(), cache.dmemory.data());
    memory_.backward(parameters, gradients, cache.attended.view(), cache.dmemory.view(), cache.dattended.view(),
                     cache.memory_cache);
    tanh_backward(size, cache.last.data(), cache.dlast.data(), cache.dlast.data());
    last_.backward(parameters, gradients, column_range(cache.query.view(), 0, width_), cache.dlast.view(),
                   cache.dlast_event.view(), cache.last_cache);

    attention_.backward(parameters, gradients, batch, ends, x, cache.query.view(), cache.dattended.view(), dx,
                        cache.dquery.view(), cache.attention);
    add_matrix(column_range(cache.dquery.view(), 0, width_), cache.dlast_event.view());
    add_to_rows(cache.dlast_event.view(), ends.rows, dx);
    const MatrixView dmean = column_range(cache.dquery.view(), width_, width_);
    for_each_up_to(batch, ends, [&](std::size_t row, std::size_t end, std::size_t length) {
      axpy(width_, 1.0F / static_cast<float>(length), dmean.row(end), dx.row(row));
    });
  }

 private:
  std::size_t width_;
  AdditiveAttention attention_;
  Linear memory_;
  Linear last_;
};

class StampKind : public QueryModelKind<QueryModelOptions> {
 public:
  std::string_view name() const override { return "stamp"; }
  double cost() const override { return 60.0; }

 protected:
  BestSettings best() const override { return {2e-3, 1e-5, 0.5F, 10, 4e-3}; }
  QueryDesign design(const QueryModelOptions& options) const override {
    return {.make_encoder = [width = options.width](ParameterSet& parameters) {
      return std::make_unique<StampEncoder>(parameters, width);
    }};
  }
};

}  // namespace

std::unique_ptr<const RecommenderKind> stamp_kind() { return std::make_unique<StampKind>(); }

}  // namespace linn
