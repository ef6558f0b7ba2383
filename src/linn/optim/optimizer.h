// Steps of gradient descent over a model's parameters and its embedding tables.
//
//   Optimizer optimizer(options, parameters, {&items});
//   for each batch:
//     optimizer.catch_up(pool, 0, rows);            // the rows that the batch reads
//     ... forward, backward ...
//     optimizer.step(pool, table_gradients);        // with parameters.gradients()
//   optimizer.flush(pool);                          // before the whole tables are read
//
// An optimizer with momentum or decay moves every row of a table in every step, also the many that a batch does not
// touch. In lazy mode (the default) these steps are put off: a row remembers the last step it has made and is brought
// up to date when it is next needed, in registers. The result has the bits of dense mode, which walks every table in
// every step and is there to compare with.
//
// A step begins with all gradients in place: those of the parameters in one contiguous block, those of the tables as
// rows. Where several workers train together, the sum of their gradients stands between backward and step().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "linn/base/aligned.h"
#include "linn/base/thread_pool.h"
#include "linn/nn/embedding.h"
#include "linn/nn/parameters.h"
#include "linn/optim/schedule.h"
#include "linn/optim/update_kernels.h"

namespace linn {

enum class OptimizerKind : std::uint8_t { kAdam, kSgd, kAdagrad };

enum class DecayMode : std::uint8_t {
  kCoupled,    // weight_decay·p is added to the gradient; a term λ‖p‖² of the loss is weight_decay = 2λ
  kDecoupled,  // p -= learning_rate·weight_decay·p beside the step, as in AdamW
};

enum class TableMode : std::uint8_t { kLazy, kDense };

struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::kAdam;
  double learning_rate = 1e-3;
  double parameter_rate = 1;  // the share of it that the dense parameters have; 0: they stay as they are
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;  // of Adam and Adagrad, beside the root
  double momentum = 0;    // of SGD
  double weight_decay = 0;
  DecayMode decay_mode = DecayMode::kCoupled;
  bool decay_biases = true;
  // Gradients are clipped before a coupled decay is added; first by norm, if both are asked for. 0 stands for never.
  double clip_value = 0;  // each element to ±clip_value
  double clip_norm = 0;   // all gradients together, those of the tables included, to this Euclidean norm
  Schedule schedule;
  TableMode table_mode = TableMode::kLazy;
  // A row may stay so many steps behind; then all rows are brought up to date. Bounds the memory for past steps.
  std::size_t longest_delay = 4096;
};

// Throws InputError for values that no training can use.
void check(const OptimizerOptions& options);

class Optimizer {
 public:
  // Bound to the parameters and tables, which must outlive it and keep their sizes. Checks the options.
  Optimizer(const OptimizerOptions& options, ParameterSet& parameters, const std::vector<EmbeddingTable*>& tables = {});

  // One step with the gradients of the parameters and one gradient for each table. Does not allocate, and its result
  // does not depend on the number of threads.
  void step(ThreadPool& pool, std::span<const SparseGradient> table_gradients = {});

  // Brings the given rows, all different, up to date, so that they can be read.
  void catch_up(ThreadPool& pool, std::size_t table, std::span<const std::uint32_t> rows);

  // Brings all rows of all tables up to date.
  void flush(ThreadPool& pool);

  // The steps made so far.
  std::uint64_t steps() const { return steps_[0]; }
  // What step = 1, 2, ... uses.
  double learning_rate(std::uint64_t step) const;
  const OptimizerOptions& options() const { return options_; }

  // All that a continued training needs beside the values of parameters and tables, by name, for saving and restoring.
  // A flush before saving is not needed and changes nothing. After writing to them, call restored(); it throws
  // InputError when the counts do not fit together.
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
  // A stretch of the parameter block in which everything decays or nothing does.
  struct Segment {
    std::size_t offset;
    std::size_t size;
    bool decays;
  };
  struct TableState {
    EmbeddingTable* table;
    AlignedArray<float> m;
    AlignedArray<float> v;
    AlignedArray<std::uint32_t> done;  // the last step that each row has made; empty in dense mode
  };
  // The state of one row.
  struct Row {
    float* m;
    float* v;
    float* p;
  };
  static Row row_of(TableState& state, std::size_t row);
  static void prefetch_row(TableState& state, std::size_t row);

  StepFactors factors_of(std::uint64_t step) const;
  void remember(std::uint64_t step);
  void forget();
  ReplayBounds bounds() const;
  void replay(TableState& state, std::size_t row, const ReplayBounds& bounds, std::uint32_t until);

  float clipping_factor(ThreadPool& pool, std::span<const SparseGradient> table_gradients);
  void update_segment(const Segment& segment, const StepFactors& step, float scale);
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
  std::uint32_t steps_[1] = {0};  // an array, so that it can be shown as a span

  // The factors of the steps after first_, which all rows have made.
  std::uint32_t first_ = 0;
  AlignedArray<StepFactors> past_;
  float largest_rate_ = 0;
  float largest_shrink_ = 0;

  AlignedArray<double> partial_sums_;  // of squares, one for each block of a gradient
};

}  // namespace linn
