// Steps of gradient descent over a model's parameters and its embedding tables.
//
//   Optimizer optimizer(options, parameters, {&items});
//   for each batch:
//     optimizer.catch_up(pool, 0, rows);                       // the rows that the batch reads
//     ... forward, backward ...
//     optimizer.step(pool, gradients, table_gradients);
//   optimizer.flush(pool);                                     // before whole tables are read
//
// Adam, and any optimizer with decay, moves every row of a table in every step, including the many rows that the batch
// does not touch. In lazy mode (the default) these steps are deferred: a row records its last step and replays the
// missing ones in registers when it is next needed. The result has the same bits as dense mode, which walks every table
// in every step and serves as the reference.
//
// A step takes complete gradients: one contiguous block for the parameters, rows for the tables. Where several workers
// train together, they sum their gradients between backward and step().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "linn/base/aligned.h"
#include "linn/base/thread_pool.h"
#include "linn/kernels/update_kernels.h"
#include "linn/nn/embedding.h"
#include "linn/nn/parameters.h"
#include "linn/optim/schedule.h"

namespace linn {

enum class OptimizerKind : std::uint8_t { kAdam, kSgd, kAdagrad };

enum class DecayMode : std::uint8_t {
  kCoupled,    // weight_decay·p is added to the gradient; a term λ‖p‖² of the loss is weight_decay = 2λ
  kDecoupled,  // p -= learning_rate·weight_decay·p besides the step, as in AdamW
};

enum class TableMode : std::uint8_t { kLazy, kDense };

struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::kAdam;
  double learning_rate = 1e-3;
  double parameter_rate = 1;  // the share of it for the dense parameters; 0: they are not updated
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;  // of Adam and Adagrad, added to the root
  double weight_decay = 0;
  DecayMode decay_mode = DecayMode::kCoupled;
  bool decay_biases = true;
  // Gradients are clipped before coupled decay is added, by norm first if both are set. 0 turns clipping off.
  double clip_value = 0;  // each element to ±clip_value
  double clip_norm = 0;   // all gradients together, including those of the tables, to this Euclidean norm
  Schedule schedule;
  TableMode table_mode = TableMode::kLazy;
  // The most steps that a row may be behind before all rows are brought up to date. Bounds the memory for past steps.
  std::size_t longest_delay = 4096;
};

// Throws InputError for values that no training can use.
void check(const OptimizerOptions& options);

class Optimizer {
 public:
  // Binds to the parameters and tables, which must outlive it and keep their sizes. Checks the options.
  Optimizer(const OptimizerOptions& options, ParameterSet& parameters, const std::vector<EmbeddingTable*>& tables = {});

  // One step with the gradients of the parameters and one gradient per table. Does not allocate; the result does not
  // depend on the number of threads.
  void step(ThreadPool& pool, const ParameterGradients& gradients,
            std::span<const SparseGradient> table_gradients = {});

  // Brings the given rows, which must be distinct, up to date so that they can be read.
  void catch_up(ThreadPool& pool, std::size_t table, std::span<const std::uint32_t> rows);

  // Brings all rows of all tables up to date.
  void flush(ThreadPool& pool);

  // The number of steps so far.
  std::uint64_t steps() const { return steps_[0]; }
  // The learning rate of step = 1, 2, ...
  double learning_rate(std::uint64_t step) const;
  const OptimizerOptions& options() const { return options_; }
  // What all steps share, and what a step has of its own: for whoever makes the steps in place of step(), and then
  // leaves the state as a restored one.
  const UpdateRule& rule() const { return rule_; }
  StepFactors factors_of(std::uint64_t step) const;

  // Everything besides the values of parameters and tables that a resumed training needs, by name. Saving needs no
  // flush. After restoring the values call restored(), which throws InputError if the counts are inconsistent.
  struct FloatState {
    std::string name;
    std::span<float> values;
  };
  struct CountState {
    std::string name;
    std::span<std::uint32_t> values;
  };
  std::vector<FloatState> float_state();
  std::vector<CountState> count_state();
  void restored();

 private:
  // A stretch of the parameter block that decays as a whole or not at all.
  struct Segment {
    std::size_t offset;
    std::size_t size;
    bool decays;
  };
  struct TableState {
    EmbeddingTable* table;
    AlignedArray<float> m;
    AlignedArray<float> v;
    AlignedArray<std::uint32_t> done;  // the last step of each row; empty in dense mode
  };
  // The state of one row.
  struct Row {
    float* m;
    float* v;
    float* p;
  };
  static Row row_of(TableState& state, std::size_t row);
  static void prefetch_row(TableState& state, std::size_t row);

  void remember(std::uint64_t step);
  void forget();
  ReplayBounds bounds() const;
  void replay(TableState& state, std::size_t row, const ReplayBounds& bounds, std::uint32_t until);

  float clipping_factor(ThreadPool& pool, const ParameterGradients& gradients,
                        std::span<const SparseGradient> table_gradients);
  void update_segment(const Segment& segment, std::span<const float> gradients, const StepFactors& step, float scale);
  void update_touched_rows(TableState& state, const SparseGradient& gradient, std::size_t block,
                           const StepFactors& step, float scale, const ReplayBounds& bounds);
  void update_all_rows(TableState& state, const SparseGradient& gradient, std::size_t block, const StepFactors& step,
                       float scale);

  OptimizerOptions options_;
  UpdateRule rule_;
  ParameterSet& parameters_;
  std::vector<Segment> segments_;
  AlignedArray<float> m_;
  AlignedArray<float> v_;
  std::vector<TableState> tables_;
  std::uint32_t steps_[1] = {0};  // an array so that it can be exposed as a span

  // The factors of the steps after first_; all rows have made the steps up to first_.
  std::uint32_t first_ = 0;
  AlignedArray<StepFactors> past_;
  float largest_rate_ = 0;
  float largest_shrink_ = 0;

  AlignedArray<double> partial_sums_;  // of squares, one per block of a gradient
};

}  // namespace linn
