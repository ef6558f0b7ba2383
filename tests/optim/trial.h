// A small training with synthetic gradients. The touched rows and the gradients depend only on the step number, so that
// two trials can be compared and one can continue another.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "linn/base/random.h"
#include "linn/base/thread_pool.h"
#include "linn/optim/optimizer.h"

namespace linn {

struct StepGradients {
  std::vector<float> parameters;  // without padding, in the order of the list
  std::vector<std::uint32_t> rows[2];
  std::vector<float> values[2];
};

class Trial {
 public:
  explicit Trial(const OptimizerOptions& options)
      : parameters(make_parameters()),
        tables{EmbeddingTable("items", 41, 19), EmbeddingTable("users", 23, 67)},
        gradients(parameters),
        optimizer(options, parameters, {&tables[0], &tables[1]}) {
    Random random(99);
    parameters.initialize_normal(random, 0.5F);
    for (EmbeddingTable& table : tables) table.initialize_normal(random, 0.5F);
  }

  // Cached, since many trials use the same.
  const StepGradients& gradients_of(std::uint64_t step) const {
    static std::map<std::uint64_t, StepGradients> made;
    const auto found = made.find(step);
    return found != made.end() ? found->second : made.emplace(step, make_gradients(step)).first->second;
  }

  // Continues up to the given step. In every second step the rows are not brought up to date beforehand.
  void run(ThreadPool& pool, std::uint64_t last, std::uint64_t flush_period = 0) {
    for (std::uint64_t step = optimizer.steps() + 1; step <= last; ++step) {
      const StepGradients& all = gradients_of(step);
      std::size_t next = 0;
      for (std::size_t i = 0; i < parameters.list().size(); ++i) {
        const MatrixView gradient = gradients.of(i);
        for (std::size_t j = 0; j < parameters.list()[i].size(); ++j) gradient.data[j] = all.parameters[next++];
      }
      SparseGradient sparse[2];
      for (std::size_t t = 0; t < 2; ++t) {
        if (step % 2 == 0) optimizer.catch_up(pool, t, all.rows[t]);
        sparse[t] = {all.rows[t], all.values[t].data()};
      }
      optimizer.step(pool, gradients, sparse);
      if (flush_period != 0 && step % flush_period == 0) optimizer.flush(pool);
    }
  }

  // All weights, then all of the optimizer's numbers.
  std::vector<float> numbers() {
    std::vector<float> all(parameters.values().begin(), parameters.values().end());
    for (EmbeddingTable& table : tables) all.insert(all.end(), table.values().begin(), table.values().end());
    for (const Optimizer::FloatState& state : optimizer.float_state()) {
      all.insert(all.end(), state.values.begin(), state.values.end());
    }
    return all;
  }

  ParameterSet parameters;
  EmbeddingTable tables[2];
  ParameterGradients gradients;
  Optimizer optimizer;

 private:
  StepGradients make_gradients(std::uint64_t step) const {
    Random random(7, step);
    StepGradients all;
    for (std::size_t i = 0; i < parameters.count(); ++i) all.parameters.push_back(draw(random));
    for (std::size_t t = 0; t < 2; ++t) {
      // The first rows are popular, the last one is never touched; some steps touch nothing, later most of them.
      const bool none = step % 5 == 3 || (step > 300 && step % 1000 != 0);
      for (std::uint32_t row = 0; row + 1 < tables[t].rows(); ++row) {
        if (none || !random.chance(1.0 / (1 + row))) continue;
        all.rows[t].push_back(row);
        for (std::size_t i = 0; i < tables[t].width(); ++i) all.values[t].push_back(draw(random));
      }
    }
    return all;
  }

  static ParameterSet make_parameters() {
    ParameterSet set;
    set.add("first", 7, 13);
    set.add("bias", 1, 7, ParameterKind::kBias);
    set.add("large", 80, 64);
    return set;
  }
  static float draw(Random& random) { return static_cast<float>(2 * random.normal()); }
};

struct NamedOptions {
  std::string name;
  OptimizerOptions options;
};

// Every kind of optimizer with every decay, schedule and clipping.
inline std::vector<NamedOptions> all_options() {
  std::vector<NamedOptions> all;
  for (const std::string kind : {"adam", "sgd", "adagrad"}) {
    for (const std::string decay : {"no_decay", "coupled", "decoupled"}) {
      for (const std::string schedule : {"constant", "linear"}) {
        for (const std::string clip : {"no_clip", "clip_value", "clip_norm", "clip_both"}) {
          OptimizerOptions options;
          options.learning_rate = 0.01;
          options.kind = kind == "adam"      ? OptimizerKind::kAdam
                         : kind == "adagrad" ? OptimizerKind::kAdagrad
                                             : OptimizerKind::kSgd;
          if (decay != "no_decay") options.weight_decay = 0.05;
          if (decay == "decoupled") options.decay_mode = DecayMode::kDecoupled;
          options.decay_biases = clip != "clip_value";
          options.schedule.kind = schedule == "linear" ? ScheduleKind::kLinear : ScheduleKind::kConstant;
          options.schedule.total_steps = 120;
          options.schedule.final_share = 0.1;
          if (clip == "clip_value" || clip == "clip_both") options.clip_value = 0.5;
          if (clip == "clip_norm" || clip == "clip_both") options.clip_norm = 60;
          all.push_back({fmt::format("{} {} {} {}", kind, decay, schedule, clip), options});
        }
      }
    }
  }
  return all;
}

}  // namespace linn
