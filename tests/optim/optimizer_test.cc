#include "linn/optim/optimizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "linn/base/error.h"
#include "trial.h"

namespace linn {
namespace {

// The formulas, element by element in double precision.
class Reference {
 public:
  Reference(const OptimizerOptions& options, std::span<const float> values, bool decays)
      : p(values.begin(), values.end()), options_(options), m_(p.size()), v_(p.size()), decays_(decays) {}

  void step(std::uint64_t t, double rate, std::span<const double> gradient) {
    const double decay = decays_ ? options_.weight_decay : 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      double g = gradient[i];
      if (options_.decay_mode == DecayMode::kCoupled) {
        g += decay * p[i];
      } else {
        p[i] -= rate * decay * p[i];
      }
      switch (options_.kind) {
        case OptimizerKind::kAdam: {
          m_[i] = options_.beta1 * m_[i] + (1 - options_.beta1) * g;
          v_[i] = options_.beta2 * v_[i] + (1 - options_.beta2) * g * g;
          const double m = m_[i] / (1 - std::pow(options_.beta1, t));
          const double v = v_[i] / (1 - std::pow(options_.beta2, t));
          p[i] -= rate * m / (std::sqrt(v) + options_.epsilon);
          break;
        }
        case OptimizerKind::kSgd:
          p[i] -= rate * g;
          break;
        case OptimizerKind::kAdagrad:
          v_[i] += g * g;
          p[i] -= rate * g / (std::sqrt(v_[i]) + options_.epsilon);
          break;
      }
    }
  }

  std::vector<double> p;

 private:
  OptimizerOptions options_;
  std::vector<double> m_;
  std::vector<double> v_;
  bool decays_;
};

// The gradients of a step as the formulas see them: clipped, and complete.
std::vector<std::vector<double>> clipped_gradients(const Trial& trial, const OptimizerOptions& options,
                                                   std::uint64_t step) {
  const StepGradients& given = trial.gradients_of(step);
  std::vector<std::vector<double>> all;
  std::size_t next = 0;
  for (const ParameterInfo& info : trial.parameters.list()) {
    all.emplace_back();
    for (std::size_t i = 0; i < info.size(); ++i) all.back().push_back(double{given.parameters[next++]});
  }
  for (std::size_t t = 0; t < 2; ++t) {
    const std::size_t width = trial.tables[t].width();
    all.emplace_back(trial.tables[t].rows() * width);
    for (std::size_t i = 0; i < given.values[t].size(); ++i) {
      all.back()[given.rows[t][i / width] * width + i % width] = double{given.values[t][i]};
    }
  }
  double squares = 0;
  for (const auto& part : all) {
    for (const double g : part) squares += g * g;
  }
  for (auto& part : all) {
    for (double& g : part) {
      if (options.clip_norm > 0) g *= std::min(1.0, options.clip_norm / (std::sqrt(squares) + 1e-6));
      if (options.clip_value > 0) g = std::clamp(g, -options.clip_value, options.clip_value);
    }
  }
  return all;
}

double largest_difference(std::span<const double> a, const float* b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(a[i] - double{b[i]});
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

TEST(Optimizer, FollowsTheFormulas) {
  constexpr std::uint64_t kSteps = 60;
  ThreadPool pool(1);
  for (const auto& [name, options] : all_options()) {
    SCOPED_TRACE(name);
    Trial trial(options);
    std::vector<Reference> references;
    for (std::size_t i = 0; i < trial.parameters.list().size(); ++i) {
      const ParameterInfo& info = trial.parameters.list()[i];
      references.emplace_back(options, trial.parameters.values().subspan(info.offset, info.size()),
                              info.kind == ParameterKind::kWeight || options.decay_biases);
    }
    for (EmbeddingTable& table : trial.tables) references.emplace_back(options, table.values(), true);
    for (std::uint64_t step = 1; step <= kSteps; ++step) {
      const auto gradients = clipped_gradients(trial, options, step);
      const double rate = options.learning_rate * learning_rate_share(options.schedule, step);
      for (std::size_t i = 0; i < references.size(); ++i) references[i].step(step, rate, gradients[i]);
    }
    trial.run(pool, kSteps);
    trial.optimizer.flush(pool);
    constexpr double kRounding = 5e-6;
    for (std::size_t i = 0; i < 3; ++i) {
      ASSERT_LE(largest_difference(references[i].p, trial.parameters.value(i).data), kRounding);
    }
    for (std::size_t t = 0; t < 2; ++t) {
      ASSERT_LE(largest_difference(references[3 + t].p, trial.tables[t].row(0)), kRounding);
    }
  }
}

// Equal to the bit.
bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return std::ranges::equal(
      a, b, [](float x, float y) { return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y); });
}

TEST(Optimizer, LazyIsDenseToTheBit) {
  constexpr std::uint64_t kSteps = 150;
  ThreadPool pool(1);
  for (const auto& [name, given] : all_options()) {
    SCOPED_TRACE(name);
    OptimizerOptions options = given;
    options.table_mode = TableMode::kDense;
    Trial dense(options);
    dense.run(pool, kSteps);
    const std::vector<float> expected = dense.numbers();
    options.table_mode = TableMode::kLazy;
    Trial lazy(options);
    lazy.run(pool, kSteps);
    lazy.optimizer.flush(pool);
    ASSERT_TRUE(same_bits(lazy.numbers(), expected));
    // No matter how often rows are brought up to date, by the caller or because the delay is limited.
    options.longest_delay = 11;
    Trial often(options);
    often.run(pool, kSteps, 37);
    often.optimizer.flush(pool);
    ASSERT_TRUE(same_bits(often.numbers(), expected));
  }
}

// Long enough for m to fade below the range of normal numbers.
TEST(Optimizer, LazyIsDenseToTheBitOverLongDelays) {
  constexpr std::uint64_t kSteps = 3000;
  ThreadPool pool(1);
  for (const OptimizerKind kind : {OptimizerKind::kAdam, OptimizerKind::kSgd}) {
    for (const double decay : {0.0, 1e-6, 0.1}) {
      OptimizerOptions options;
      options.kind = kind;
      options.weight_decay = decay;
      options.decay_mode = DecayMode::kDecoupled;
      options.schedule = {.kind = ScheduleKind::kLinear, .total_steps = kSteps};
      options.table_mode = TableMode::kDense;
      Trial dense(options);
      dense.run(pool, kSteps);
      options.table_mode = TableMode::kLazy;
      Trial lazy(options);
      lazy.run(pool, kSteps);
      lazy.optimizer.flush(pool);
      EXPECT_TRUE(same_bits(lazy.numbers(), dense.numbers())) << static_cast<int>(kind) << " " << decay;
    }
  }
}

TEST(Optimizer, CaughtUpRowsAreDenseRows) {
  ThreadPool pool(1);
  OptimizerOptions options;
  options.weight_decay = 0.01;
  Trial lazy(options);
  lazy.run(pool, 33);
  options.table_mode = TableMode::kDense;
  Trial dense(options);
  dense.run(pool, 33);
  const std::vector<std::uint32_t> rows = {22, 3, 40};
  lazy.optimizer.catch_up(pool, 0, rows);
  for (const std::uint32_t row : rows) {
    for (std::size_t i = 0; i < 19; ++i) EXPECT_EQ(lazy.tables[0].row(row)[i], dense.tables[0].row(row)[i]);
  }
  EXPECT_NE(lazy.tables[0].row(38)[0], dense.tables[0].row(38)[0]) << "this row is not up to date";
}

TEST(Optimizer, ThreadsDoNotMatter) {
  for (const TableMode mode : {TableMode::kLazy, TableMode::kDense}) {
    OptimizerOptions options;
    options.weight_decay = 0.01;
    options.clip_norm = 20;
    options.table_mode = mode;
    std::vector<float> expected;
    for (const std::size_t threads : {1, 2, 7}) {
      ThreadPool pool(threads);
      Trial trial(options);
      trial.run(pool, 60, 25);
      if (threads == 1) expected = trial.numbers();
      EXPECT_TRUE(same_bits(trial.numbers(), expected)) << threads;
    }
  }
}

TEST(Optimizer, ContinuesWhereItWasSaved) {
  ThreadPool pool(1);
  for (const auto& [name, options] : all_options()) {
    if (name.ends_with("no_clip") == name.ends_with("clip_norm")) continue;
    SCOPED_TRACE(name);
    Trial whole(options);
    whole.run(pool, 90);
    for (const bool flush : {false, true}) {
      Trial first(options);
      first.run(pool, 40);
      if (flush) first.optimizer.flush(pool);
      Trial second(options);
      std::ranges::copy(first.parameters.values(), second.parameters.values().begin());
      for (std::size_t t = 0; t < 2; ++t) {
        std::ranges::copy(first.tables[t].values(), second.tables[t].values().begin());
      }
      const auto floats = first.optimizer.float_state();
      const auto counts = first.optimizer.count_state();
      for (std::size_t i = 0; i < floats.size(); ++i) {
        EXPECT_EQ(second.optimizer.float_state()[i].name, floats[i].name);
        std::ranges::copy(floats[i].values, second.optimizer.float_state()[i].values.begin());
      }
      for (std::size_t i = 0; i < counts.size(); ++i) {
        EXPECT_EQ(second.optimizer.count_state()[i].name, counts[i].name);
        std::ranges::copy(counts[i].values, second.optimizer.count_state()[i].values.begin());
      }
      second.optimizer.restored();
      EXPECT_EQ(second.optimizer.steps(), 40U);
      second.run(pool, 90);
      if (!flush) ASSERT_TRUE(same_bits(second.numbers(), whole.numbers()));
      second.optimizer.flush(pool);
      Trial flushed(options);
      flushed.run(pool, 90);
      flushed.optimizer.flush(pool);
      ASSERT_TRUE(same_bits(second.numbers(), flushed.numbers()));
    }
  }
}

TEST(Optimizer, RestoresLongerDelaysThanItAllows) {
  ThreadPool pool(1);
  OptimizerOptions options;
  Trial first(options);
  first.run(pool, 50);
  options.longest_delay = 3;
  Trial second(options);
  const auto counts = first.optimizer.count_state();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    std::ranges::copy(counts[i].values, second.optimizer.count_state()[i].values.begin());
  }
  second.optimizer.restored();
  second.run(pool, 120);
  EXPECT_EQ(second.optimizer.steps(), 120U);
}

TEST(Optimizer, RefusesCountsThatDoNotFit) {
  Trial trial(OptimizerOptions{});
  trial.optimizer.count_state()[1].values[4] = 1;
  EXPECT_THROW(trial.optimizer.restored(), InputError);
}

TEST(Optimizer, PaddingStaysZeroAndNothingMoves) {
  ThreadPool pool(1);
  OptimizerOptions options;
  options.weight_decay = 0.1;
  options.longest_delay = 7;
  Trial trial(options);
  const auto before = trial.optimizer.float_state();
  // Not even a gradient in the padding moves it.
  trial.gradients.values()[7 * 13] = 1;
  trial.run(pool, 30);
  EXPECT_EQ(trial.parameters.values()[7 * 13], 0.0F);
  const auto after = trial.optimizer.float_state();
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(before[i].values.data(), after[i].values.data());
}

TEST(Optimizer, KeepsNaN) {
  ThreadPool pool(1);
  OptimizerOptions options;
  options.clip_value = 1;
  options.clip_norm = 1;
  Trial trial(options);
  const std::uint32_t row = 5;
  const std::vector<float> gradient(19, std::numeric_limits<float>::quiet_NaN());
  const SparseGradient sparse[2] = {{{&row, 1}, gradient.data()}, {}};
  trial.optimizer.step(pool, trial.gradients, sparse);
  trial.optimizer.step(pool, trial.gradients, std::vector<SparseGradient>(2));
  trial.optimizer.flush(pool);
  EXPECT_TRUE(std::isnan(trial.tables[0].row(5)[18]));
  EXPECT_FALSE(std::isnan(trial.tables[0].row(4)[18]));
}

TEST(Optimizer, ChecksItsOptions) {
  const auto refused = [](auto change) {
    OptimizerOptions options;
    change(options);
    EXPECT_THROW(check(options), InputError);
    ParameterSet parameters;
    EXPECT_THROW(Optimizer(options, parameters), InputError);
  };
  EXPECT_NO_THROW(check(OptimizerOptions{}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refused([&](OptimizerOptions& o) { o.learning_rate = nan; });
  refused([](OptimizerOptions& o) { o.learning_rate = -1; });
  refused([](OptimizerOptions& o) { o.beta1 = 1; });
  refused([](OptimizerOptions& o) { o.beta2 = -0.1; });
  refused([](OptimizerOptions& o) { o.epsilon = 0; });
  refused([](OptimizerOptions& o) { o.weight_decay = -1; });
  refused([&](OptimizerOptions& o) { o.clip_value = nan; });
  refused([](OptimizerOptions& o) { o.clip_norm = -1; });
  refused([](OptimizerOptions& o) { o.longest_delay = 0; });
  refused([](OptimizerOptions& o) { o.schedule.kind = ScheduleKind::kLinear; });
  refused([](OptimizerOptions& o) {
    o.decay_mode = DecayMode::kDecoupled;
    o.learning_rate = o.weight_decay = 1;
  });
}

}  // namespace
}  // namespace linn
