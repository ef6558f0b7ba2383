#include "linn/optim/optimizer.h"

#include <hwy/cache_control.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "linn/base/error.h"
#include "linn/kernels/elementwise.h"

namespace linn {
namespace {

// Sizes of tasks. They, and so the order of sums, do not depend on the number of threads.
constexpr std::size_t kSegment = 4096;    // floats of the parameters
constexpr std::size_t kSumBlock = 8192;   // floats of a gradient
constexpr std::size_t kTouchedRows = 32;  // some have many steps to replay, some none
constexpr std::size_t kConsecutiveRows = 256;

std::size_t blocks_of(std::size_t size, std::size_t block) { return (size + block - 1) / block; }

// A place in an array of state, which is empty for optimizers without such state.
float* place(AlignedArray<float>& state, std::size_t offset) {
  return state.size() > 0 ? state.data() + offset : nullptr;
}

// Prefetches a few rows ahead: rows lie scattered over tables that are larger than the caches.
constexpr std::size_t kAhead = 3;
void prefetch(const float* values, std::size_t size) {
  if (values == nullptr) return;
  for (std::size_t i = 0; i < size; i += kCacheLine / sizeof(float)) hwy::Prefetch(values + i);
}

// Calls work(part, block) for the blocks of several parts, counts(part) each, as one job.
template <class Counts, class Work>
void run_blocks(ThreadPool& pool, std::size_t parts, const Counts& counts, const Work& work) {
  std::size_t total = 0;
  for (std::size_t part = 0; part < parts; ++part) total += counts(part);
  pool.run(total, [&](std::size_t task, std::size_t) {
    std::size_t part = 0;
    while (task >= counts(part)) task -= counts(part++);
    work(part, task);
  });
}

UpdateRule make_rule(const OptimizerOptions& options) {
  UpdateRule rule;
  switch (options.kind) {
    case OptimizerKind::kAdam:
      rule.kind = UpdateKind::kAdam;
      rule.beta1 = static_cast<float>(options.beta1);
      rule.rest1 = static_cast<float>(1 - options.beta1);
      rule.beta2 = static_cast<float>(options.beta2);
      rule.rest2 = static_cast<float>(1 - options.beta2);
      break;
    case OptimizerKind::kSgd:
      rule.kind = UpdateKind::kSgd;
      break;
    case OptimizerKind::kAdagrad:
      rule.kind = UpdateKind::kAdagrad;
      break;
  }
  rule.epsilon = static_cast<float>(options.epsilon);
  if (options.decay_mode == DecayMode::kCoupled) rule.decay = static_cast<float>(options.weight_decay);
  if (options.clip_value > 0) rule.clip = static_cast<float>(options.clip_value);
  return rule;
}

const OptimizerOptions& checked(const OptimizerOptions& options) {
  check(options);
  return options;
}

}  // namespace

void check(const OptimizerOptions& options) {
  const auto demand = [](bool good, const char* message) {
    if (!good) throw InputError(message);
  };
  const auto in_unit = [](double x) { return x >= 0 && x < 1; };
  const auto not_negative = [](double x) { return x >= 0 && std::isfinite(x); };
  demand(not_negative(options.learning_rate), "the learning rate must be at least 0");
  demand(in_unit(options.beta1) && in_unit(options.beta2), "beta1 and beta2 must be at least 0 and below 1");
  // With 0 a parameter that never had a gradient would become 0/0.
  demand(options.epsilon >= double{std::numeric_limits<float>::min()} && std::isfinite(options.epsilon),
         "epsilon must be above 0 (at least 1.2e-38)");
  demand(not_negative(options.weight_decay), "the weight decay must be at least 0");
  demand(options.decay_mode == DecayMode::kCoupled || options.learning_rate * options.weight_decay < 1,
         "the learning rate times the decoupled weight decay must be below 1");
  demand(options.clip_value >= 0, "the clipping value must be at least 0");
  demand(options.parameter_rate >= 0 && options.parameter_rate <= 1,
         "the parameters' share of the learning rate must be between 0 and 1");
  demand(options.clip_norm >= 0, "the clipping norm must be at least 0");
  demand(options.longest_delay > 0, "the longest delay of a row must be at least one step");
  check(options.schedule);
}

Optimizer::Optimizer(const OptimizerOptions& options, ParameterSet& parameters,
                     const std::vector<EmbeddingTable*>& tables)
    : options_(checked(options)),
      rule_(make_rule(options)),
      parameters_(parameters),
      m_(rule_.has_m() ? parameters.values().size() : 0),
      v_(rule_.has_v() ? parameters.values().size() : 0),
      past_(options.longest_delay) {
  std::size_t sums = blocks_of(parameters.values().size(), kSumBlock);
  // The padding between two matrices is in no segment and stays zero.
  for (const ParameterInfo& info : parameters.list()) {
    const bool decays = options.decay_biases || info.kind != ParameterKind::kBias;
    for (std::size_t i = 0; i < info.size(); i += kSegment) {
      segments_.push_back({info.offset + i, std::min(kSegment, info.size() - i), decays});
    }
  }
  tables_.reserve(tables.size());
  for (EmbeddingTable* table : tables) {
    const std::size_t size = table->rows() * table->width();
    tables_.push_back({table, AlignedArray<float>(rule_.has_m() ? size : 0),
                       AlignedArray<float>(rule_.has_v() ? size : 0),
                       AlignedArray<std::uint32_t>(options.table_mode == TableMode::kLazy ? table->rows() : 0)});
    sums += blocks_of(size, kSumBlock);
  }
  if (options.clip_norm > 0) partial_sums_ = AlignedArray<double>(sums);
}

double Optimizer::learning_rate(std::uint64_t step) const {
  return options_.learning_rate * learning_rate_share(options_.schedule, step);
}

StepFactors Optimizer::factors_of(std::uint64_t step) const {
  const double rate = learning_rate(step);
  StepFactors factors;
  factors.rate = static_cast<float>(rate);
  if (rule_.kind == UpdateKind::kAdam) {
    const auto t = static_cast<double>(step);
    factors.rate = static_cast<float>(rate / (1 - std::pow(options_.beta1, t)));
    factors.root_factor = static_cast<float>(1 / std::sqrt(1 - std::pow(options_.beta2, t)));
  }
  if (options_.decay_mode == DecayMode::kDecoupled) {
    factors.shrink = static_cast<float>(rate * options_.weight_decay);
  }
  return factors;
}

void Optimizer::remember(std::uint64_t step) {
  const StepFactors factors = factors_of(step);
  past_[step - 1 - first_] = factors;
  largest_rate_ = std::max(largest_rate_, factors.rate);
  largest_shrink_ = std::max(largest_shrink_, factors.shrink);
}

void Optimizer::forget() {
  first_ = steps_[0];
  largest_rate_ = 0;
  largest_shrink_ = 0;
}

ReplayBounds Optimizer::bounds() const {
  return replay_bounds(rule_, largest_rate_, largest_shrink_, steps_[0] - first_);
}

Optimizer::Row Optimizer::row_of(TableState& state, std::size_t row) {
  const std::size_t at = row * state.table->width();
  return {place(state.m, at), place(state.v, at), state.table->row(row)};
}

void Optimizer::prefetch_row(TableState& state, std::size_t row) {
  const Row at = row_of(state, row);
  prefetch(at.m, state.table->width());
  prefetch(at.v, state.table->width());
  prefetch(at.p, state.table->width());
}

void Optimizer::replay(TableState& state, std::size_t row, const ReplayBounds& bounds, std::uint32_t until) {
  const std::uint32_t done = std::exchange(state.done[row], until);
  if (done == until || !has_effect_without_gradient(rule_, bounds.shrink)) return;
  const Row at = row_of(state, row);
  replay_updates(rule_, bounds, past_.span().subspan(done - first_, until - done), state.table->width(), at.m, at.v,
                 at.p);
}

void Optimizer::catch_up(ThreadPool& pool, std::size_t table, std::span<const std::uint32_t> rows) {
  if (options_.table_mode == TableMode::kDense) return;
  TableState& state = tables_[table];
  const ReplayBounds now = bounds();
  pool.run(blocks_of(rows.size(), kTouchedRows), [&](std::size_t block, std::size_t) {
    const std::size_t end = std::min(rows.size(), (block + 1) * kTouchedRows);
    for (std::size_t i = block * kTouchedRows; i < end; ++i) {
      if (i + kAhead < end) prefetch_row(state, rows[i + kAhead]);
      replay(state, rows[i], now, steps_[0]);
    }
  });
}

void Optimizer::flush(ThreadPool& pool) {
  if (options_.table_mode == TableMode::kDense) return;
  const ReplayBounds now = bounds();
  run_blocks(
      pool, tables_.size(), [&](std::size_t t) { return blocks_of(tables_[t].table->rows(), kConsecutiveRows); },
      [&](std::size_t t, std::size_t block) {
        const std::size_t end = std::min(tables_[t].table->rows(), (block + 1) * kConsecutiveRows);
        for (std::size_t row = block * kConsecutiveRows; row < end; ++row) replay(tables_[t], row, now, steps_[0]);
      });
  forget();
}

void Optimizer::step(ThreadPool& pool, const ParameterGradients& gradients,
                     std::span<const SparseGradient> table_gradients) {
  assert(gradients.values().size() == parameters_.values().size() && table_gradients.size() == tables_.size());
  const float scale = options_.clip_norm > 0 ? clipping_factor(pool, gradients, table_gradients) : 1.0F;
  if (options_.table_mode == TableMode::kDense || tables_.empty()) {
    forget();
  } else if (steps_[0] - first_ == past_.size()) {
    flush(pool);
  }
  // The bounds of the steps before this one, for rows that are not up to date.
  const ReplayBounds before = bounds();
  remember(++steps_[0]);
  const StepFactors factors = past_[steps_[0] - 1 - first_];

  const bool lazy = options_.table_mode == TableMode::kLazy;
  run_blocks(
      pool, tables_.size() + 1,
      [&](std::size_t part) {
        if (part == 0) return options_.parameter_rate > 0 ? segments_.size() : 0;
        return lazy ? blocks_of(table_gradients[part - 1].rows.size(), kTouchedRows)
                    : blocks_of(tables_[part - 1].table->rows(), kConsecutiveRows);
      },
      [&](std::size_t part, std::size_t block) {
        if (part == 0) {
          update_segment(segments_[block], gradients.values(), factors, scale);
        } else if (lazy) {
          update_touched_rows(tables_[part - 1], table_gradients[part - 1], block, factors, scale, before);
        } else {
          update_all_rows(tables_[part - 1], table_gradients[part - 1], block, factors, scale);
        }
      });
}

// As PyTorch's clip_grad_norm_: clip_norm / (norm + 1e-6), at most 1.
float Optimizer::clipping_factor(ThreadPool& pool, const ParameterGradients& gradients,
                                 std::span<const SparseGradient> table_gradients) {
  const auto part_of = [&](std::size_t part) -> std::span<const float> {
    if (part == 0) return gradients.values();
    const SparseGradient& gradient = table_gradients[part - 1];
    return {gradient.values, gradient.rows.size() * tables_[part - 1].table->width()};
  };
  const auto blocks = [&](std::size_t part) { return blocks_of(part_of(part).size(), kSumBlock); };
  run_blocks(pool, tables_.size() + 1, blocks, [&](std::size_t part, std::size_t block) {
    const std::span<const float> all = part_of(part);
    const std::size_t begin = block * kSumBlock;
    std::size_t at = block;
    for (std::size_t before = 0; before < part; ++before) at += blocks(before);
    partial_sums_[at] = double{squared_norm(std::min(kSumBlock, all.size() - begin), all.data() + begin)};
  });
  std::size_t count = 0;
  for (std::size_t part = 0; part <= tables_.size(); ++part) count += blocks(part);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += partial_sums_[i];
  // A norm of NaN clips nothing: the gradient itself shows it.
  const double factor = options_.clip_norm / (std::sqrt(sum) + 1e-6);
  return factor < 1 ? static_cast<float>(factor) : 1.0F;
}

void Optimizer::update_segment(const Segment& segment, std::span<const float> gradients, const StepFactors& step,
                               float scale) {
  UpdateRule rule = rule_;
  StepFactors factors = step;
  factors.rate *= static_cast<float>(options_.parameter_rate);
  factors.shrink *= static_cast<float>(options_.parameter_rate);
  if (!segment.decays) rule.decay = factors.shrink = 0;
  apply_update(rule, factors, scale, segment.size, gradients.data() + segment.offset, place(m_, segment.offset),
               place(v_, segment.offset), parameters_.values().data() + segment.offset);
}

void Optimizer::update_touched_rows(TableState& state, const SparseGradient& gradient, std::size_t block,
                                    const StepFactors& step, float scale, const ReplayBounds& before) {
  const std::size_t width = state.table->width();
  const std::size_t end = std::min(gradient.rows.size(), (block + 1) * kTouchedRows);
  for (std::size_t i = block * kTouchedRows; i < end; ++i) {
    if (i + kAhead < end) prefetch_row(state, gradient.rows[i + kAhead]);
    const std::uint32_t row = gradient.rows[i];
    assert(row < state.table->rows() && (i == 0 || gradient.rows[i - 1] < row));
    replay(state, row, before, steps_[0] - 1);
    const Row at = row_of(state, row);
    apply_update(rule_, step, scale, width, gradient.values + i * width, at.m, at.v, at.p);
    state.done[row] = steps_[0];
  }
}

void Optimizer::update_all_rows(TableState& state, const SparseGradient& gradient, std::size_t block,
                                const StepFactors& step, float scale) {
  const std::size_t width = state.table->width();
  const std::size_t begin = block * kConsecutiveRows;
  const std::size_t end = std::min(state.table->rows(), begin + kConsecutiveRows);
  auto touched = std::lower_bound(gradient.rows.begin(), gradient.rows.end(), begin);
  for (std::size_t row = begin; row < end; ++row) {
    const float* g = nullptr;
    if (touched != gradient.rows.end() && *touched == row) {
      g = gradient.values + static_cast<std::size_t>(touched++ - gradient.rows.begin()) * width;
    }
    const Row at = row_of(state, row);
    apply_update(rule_, step, scale, width, g, at.m, at.v, at.p);
  }
}

std::vector<Optimizer::FloatState> Optimizer::float_state() {
  std::vector<FloatState> state;
  const auto add = [&](std::string name, AlignedArray<float>& values) {
    if (values.size() > 0) state.push_back({std::move(name), values.span()});
  };
  add("m", m_);
  add("v", v_);
  for (TableState& table : tables_) {
    add("m." + table.table->name(), table.m);
    add("v." + table.table->name(), table.v);
  }
  return state;
}

std::vector<Optimizer::CountState> Optimizer::count_state() {
  std::vector<CountState> state = {{"steps", steps_}};
  for (TableState& table : tables_) {
    if (table.done.size() > 0) state.push_back({"done." + table.table->name(), table.done.span()});
  }
  return state;
}

void Optimizer::restored() {
  forget();
  for (const TableState& table : tables_) {
    for (const std::uint32_t done : table.done.span()) {
      if (done > steps_[0]) throw InputError("table " + table.table->name() + " is ahead of the optimizer's steps");
      first_ = std::min(first_, done);
    }
  }
  // A row may be further behind than these options allow if it was saved under others.
  if (steps_[0] - first_ > past_.size()) past_ = AlignedArray<StepFactors>(steps_[0] - first_);
  for (std::uint64_t step = std::uint64_t{first_} + 1; step <= steps_[0]; ++step) remember(step);
}

}  // namespace linn
