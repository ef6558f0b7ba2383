// SASRec (Kang & McAuley, 2018): blocks of causal self-attention over the history; the state of the last event is the
// query vector.

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>
#include <vector>

#include "linn/base/error.h"
#include "linn/kernels/elementwise.h"
#include "linn/layers/dropout.h"
#include "linn/layers/layer_norm.h"
#include "linn/layers/linear.h"
#include "linn/layers/self_attention.h"
#include "linn/recommend/baselines/baselines.h"
#include "linn/recommend/baselines/query_model_kind.h"

namespace linn {
namespace {

struct SasRecOptions {
  std::size_t blocks = 2;
  std::size_t heads = 1;  // a divisor of the width
  // Positions are counted from the last event, so that the newest always has the same one; events further back share
  // the last position.
  std::size_t positions = 10;
  double dropout = 0;
};

// x + dropout(attention(norm(x))), then x + dropout(W2·dropout(relu(W1·norm(x) + b1)) + b2).
class SasRecBlock {
 public:
  SasRecBlock(ParameterSet& parameters, const std::string& name, std::size_t width, const SasRecOptions& options)
      : width_(width),
        attention_norm_(parameters, name + ".attention_norm", width),
        attention_(parameters, name + ".attention", width, {.heads = options.heads, .dropout = options.dropout}),
        hidden_norm_(parameters, name + ".hidden_norm", width),
        inner_(parameters, name + ".inner", width, width),
        outer_(parameters, name + ".outer", width, width),
        dropout_(options.dropout) {}

  struct Cache {
    Matrix normalized;
    Matrix attended;  // x + attention: the input of the second half
    Matrix normalized_attended;
    Matrix hidden;
    Matrix dropped_hidden;
    Matrix branch;  // the branch of a half, or its gradient
    Matrix dhidden;
    Matrix dnormalized;
    Matrix dkeys;
    Matrix dattended;
    LayerNorm::Cache attention_norm;
    LayerNorm::Cache hidden_norm;
    SelfAttention::Cache attention;
    Linear::Cache inner;
    Linear::Cache outer;
    Dropout::Cache attention_dropout;
    Dropout::Cache hidden_dropout;
    Dropout::Cache output_dropout;
  };

  void forward(const ParameterSet& parameters, const SequenceBatch& batch, const ConstMatrixView& x, Random* random,
               const MatrixView& y, Cache& cache) const {
    for (Matrix* matrix : {&cache.normalized, &cache.attended, &cache.normalized_attended, &cache.hidden,
                           &cache.dropped_hidden, &cache.branch}) {
      matrix->reshape(x.rows, width_);
    }
    const MatrixView normalized = cache.normalized.view();
    const MatrixView branch = cache.branch.view();
    attention_norm_.forward(parameters, x, normalized, cache.attention_norm);
    attention_.forward(parameters, batch, normalized, normalized, random, branch, cache.attention);
    dropout_.forward(branch, random, branch, cache.attention_dropout);
    copy_matrix(x, cache.attended.view());
    add_matrix(branch, cache.attended.view());

    hidden_norm_.forward(parameters, cache.attended.view(), cache.normalized_attended.view(), cache.hidden_norm);
    inner_.forward(parameters, cache.normalized_attended.view(), cache.hidden.view(), cache.inner);
    relu(cache.hidden.span().size(), cache.hidden.data(), cache.hidden.data());
    dropout_.forward(cache.hidden.view(), random, cache.dropped_hidden.view(), cache.hidden_dropout);
    outer_.forward(parameters, cache.dropped_hidden.view(), branch, cache.outer);
    dropout_.forward(branch, random, branch, cache.output_dropout);
    copy_matrix(cache.attended.view(), y);
    add_matrix(branch, y);
  }

  // dx may be dy.
  void backward(const ParameterSet& parameters, ParameterGradients& gradients, const SequenceBatch& batch,
                const ConstMatrixView& dy, const MatrixView& dx, Cache& cache) const {
    for (Matrix* matrix : {&cache.dhidden, &cache.dnormalized, &cache.dkeys, &cache.dattended}) {
      matrix->reshape(dy.rows, width_);
    }
    const MatrixView branch = cache.branch.view();
    const MatrixView dhidden = cache.dhidden.view();
    const MatrixView dnormalized = cache.dnormalized.view();
    const MatrixView dattended = cache.dattended.view();
    dropout_.backward(dy, branch, cache.output_dropout);
    outer_.backward(parameters, gradients, cache.dropped_hidden.view(), branch, dhidden, cache.outer);
    dropout_.backward(dhidden, dhidden, cache.hidden_dropout);
    relu_backward(cache.dhidden.span().size(), cache.hidden.data(), dhidden.data, dhidden.data);
    inner_.backward(parameters, gradients, cache.normalized_attended.view(), dhidden, dnormalized, cache.inner);
    hidden_norm_.backward(parameters, gradients, dnormalized, dattended, cache.hidden_norm);
    add_matrix(dy, dattended);

    dropout_.backward(dattended, branch, cache.attention_dropout);
    attention_.backward(parameters, gradients, batch, branch, dnormalized, cache.dkeys.view(), cache.attention);
    add_matrix(cache.dkeys.view(), dnormalized);
    attention_norm_.backward(parameters, gradients, dnormalized, dx, cache.attention_norm);
    add_matrix(dattended, dx);
  }

 private:
  std::size_t width_;
  LayerNorm attention_norm_;
  SelfAttention attention_;
  LayerNorm hidden_norm_;
  Linear inner_;
  Linear outer_;
  Dropout dropout_;
};

struct SasRecCache {
  std::vector<SasRecBlock::Cache> blocks;
  std::vector<Matrix> states;  // the input of each block, and the output of the last one
  Matrix dstate;
  Matrix last;
  Matrix dlast;
  Dropout::Cache dropout;
  LayerNorm::Cache norm;
};

class SasRecEncoder : public CachedEncoder<SasRecCache> {
 public:
  SasRecEncoder(ParameterSet& parameters, std::size_t width, const SasRecOptions& options)
      : width_(width),
        positions_(options.positions),
        position_vectors_(parameters.add("positions", options.positions, width)),
        blocks_(make_blocks(parameters, width, options)),
        norm_(parameters, "norm", width),
        dropout_(options.dropout) {
    assert(options.blocks > 0 && options.positions > 0);
  }

  // e_t = dropout(√d·x_t + p_(n-t)), through all blocks; then q = norm(e_t) of the positions asked for.
  void forward(const ParameterSet& parameters, const SequenceBatch& batch, const SequenceElements& ends,
               const ConstMatrixView& x, Random* random, const MatrixView& q, Memory& memory) const override {
    SasRecCache& cache = cache_of(memory);
    cache.blocks.resize(blocks_.size());
    cache.states.resize(blocks_.size() + 1);
    for (Matrix& state : cache.states) state.reshape(batch.rows(), width_);
    cache.last.reshape(ends.size(), width_);

    const ConstMatrixView vectors = parameters.value(position_vectors_);
    const MatrixView start = cache.states[0].view();
    const float factor = std::sqrt(static_cast<float>(width_));
    for (std::size_t i = 0; i < batch.sequences(); ++i) {
      for (std::size_t t = 0; t < batch.length(i); ++t) {
        float* to = start.row(batch.row(i, t));
        std::copy_n(vectors.row(position(batch, i, t)), width_, to);
        axpy(width_, factor, x.row(batch.row(i, t)), to);
      }
    }
    dropout_.forward(start, random, start, cache.dropout);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      blocks_[i].forward(parameters, batch, cache.states[i].view(), random, cache.states[i + 1].view(),
                         cache.blocks[i]);
    }
    gather_rows(cache.states.back().view(), ends.rows, cache.last.view());
    norm_.forward(parameters, cache.last.view(), q, cache.norm);
  }

  void backward(const ParameterSet& parameters, ParameterGradients& gradients, const SequenceBatch& batch,
                const SequenceElements& ends, const ConstMatrixView& /*x*/, const ConstMatrixView& dq,
                const MatrixView& dx, Memory& memory) const override {
    SasRecCache& cache = cache_of(memory);
    cache.dlast.reshape(ends.size(), width_);
    cache.dstate.reshape(batch.rows(), width_);
    const MatrixView dstate = cache.dstate.view();
    norm_.backward(parameters, gradients, dq, cache.dlast.view(), cache.norm);
    fill_matrix(dstate, 0);
    scatter_rows(cache.dlast.view(), ends.rows, dstate);
    for (std::size_t i = blocks_.size(); i > 0; --i) {
      blocks_[i - 1].backward(parameters, gradients, batch, dstate, dstate, cache.blocks[i - 1]);
    }
    dropout_.backward(dstate, dstate, cache.dropout);

    const MatrixView dvectors = gradients.of(position_vectors_);
    const float factor = std::sqrt(static_cast<float>(width_));
    fill_matrix(dx, 0);
    for (std::size_t i = 0; i < batch.sequences(); ++i) {
      for (std::size_t t = 0; t < batch.length(i); ++t) {
        const std::size_t row = batch.row(i, t);
        axpy(width_, 1.0F, dstate.row(row), dvectors.row(position(batch, i, t)));
        axpy(width_, factor, dstate.row(row), dx.row(row));
      }
    }
  }

 private:
  static std::vector<SasRecBlock> make_blocks(ParameterSet& parameters, std::size_t width,
                                              const SasRecOptions& options) {
    std::vector<SasRecBlock> blocks;
    for (std::size_t i = 0; i < options.blocks; ++i) {
      blocks.emplace_back(parameters, fmt::format("block{}", i), width, options);
    }
    return blocks;
  }

  std::size_t position(const SequenceBatch& batch, std::size_t sequence, std::size_t step) const {
    return std::min(batch.length(sequence) - 1 - step, positions_ - 1);
  }

  std::size_t width_;
  std::size_t positions_;
  std::size_t position_vectors_;
  std::vector<SasRecBlock> blocks_;
  LayerNorm norm_;
  Dropout dropout_;
};

struct SasRecKindOptions : QueryModelOptions {
  std::size_t blocks = 2;
  std::size_t heads = 1;
};

class SasRecKind : public QueryModelKind<SasRecKindOptions> {
 public:
  std::string_view name() const override { return "sasrec"; }
  double cost() const override { return 180.0; }

 protected:
  BestSettings best() const override { return {2e-3, 1e-6, 0.2F, 20}; }
  // It ranks better by them with 6 and 11 ratings per item, and worse with 30 and 59.
  bool histories_suit(const DataSize& size) const override { return is_large(size) || size.rows < 20 * size.items; }

  QueryDesign design(const SasRecKindOptions& options) const override {
    if (options.width % options.heads != 0) {
      throw InputError(fmt::format("d = {} is not a multiple of heads = {}", options.width, options.heads));
    }
    constexpr std::size_t kMostPositions = 200;
    const SasRecOptions own = {.blocks = options.blocks,
                               .heads = options.heads,
                               .positions = options.history == 0 ? kMostPositions : options.history,
                               .dropout = options.dropout};
    return {.make_encoder = [width = options.width, own](ParameterSet& parameters) {
      return std::make_unique<SasRecEncoder>(parameters, width, own);
    }};
  }

  OptionTable<SasRecKindOptions> table() const override {
    OptionTable<SasRecKindOptions> table = QueryModelKind::table();
    table.integer("blocks", "Blocks of attention", 1, 64, &SasRecKindOptions::blocks);
    table.integer("heads", "Heads of each block; d must be a multiple", 1, 64, &SasRecKindOptions::heads);
    return table;
  }
};

}  // namespace

std::unique_ptr<const RecommenderKind> sasrec_kind() { return std::make_unique<SasRecKind>(); }

}  // namespace linn
