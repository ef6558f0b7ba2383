#include "linn/train/pretrain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "linn/base/logistic.h"
#include "linn/model/checkpoint.h"
#include "linn/nn/gradient_run.h"
#include "linn/nn/law_pass.h"
#include "linn/nn/losses.h"
#include "linn/optim/optimizer.h"
#include "linn/plan/plan_builder.h"
#include "linn/train/training_device.h"

namespace linn {
namespace {

// The range of vector lengths. It is wide because the lengths of variables change during training.
constexpr double kShortest = 0.05;
constexpr double kLongest = 1.0;

constexpr int kMaxClauses = 5;
constexpr int kMaxLiterals = 5;

// The time between checkpoints: how much work a killed pretraining loses.
constexpr std::chrono::seconds kCheckpointInterval(1);

// The reported loss is a running mean over about this many steps.
constexpr double kMeanSteps = 100.0;

// On a device, values and losses are read back after so many steps.
constexpr std::size_t kReadBack = 100;

// Draws the random variables and expressions of one step.
class PretrainingBatch {
 public:
  PretrainingBatch(const LogicNetwork& network, const PretrainOptions& options)
      : network_(network),
        options_(options),
        rows_(options.variables * network.width()),
        truth_(options.variables),
        last_use_(options.variables) {
    const auto t = network.true_vector();
    const float norm = std::sqrt(std::inner_product(t.begin(), t.end(), t.begin(), 0.0F));
    for (const float value : t) towards_true_.push_back(value / norm);
  }

  const float* table() const { return rows_.data(); }
  std::size_t table_rows() const { return options_.variables; }
  const ExpressionBatch& expressions() const { return expressions_; }
  std::span<const float> labels() const { return labels_; }

  void draw(Random& random) {
    draw_variables(random);
    expressions_.clear();
    labels_.clear();
    for (std::size_t i = 0; i < options_.expressions; ++i) {
      labels_.push_back(static_cast<float>(draw_expression(random)));
    }
  }

 private:
  // Vectors length · (c T + √(1 - c²) u), with T and u of length 1 and orthogonal. The probability that a variable is
  // true is the similarity of its vector to T.
  void draw_variables(Random& random) {
    const std::size_t d = network_.width();
    const double alpha = network_.options().alpha;
    std::vector<double> aside(d);
    for (std::size_t v = 0; v < options_.variables; ++v) {
      const double c = std::clamp(options_.spread * random.normal() / alpha, -1.0, 1.0);
      for (double& value : aside) value = random.normal();
      const double along = std::inner_product(aside.begin(), aside.end(), towards_true_.begin(), 0.0);
      for (std::size_t i = 0; i < d; ++i) aside[i] -= along * towards_true_[i];
      const double norm = std::sqrt(std::inner_product(aside.begin(), aside.end(), aside.begin(), 1e-30));
      const double length = kShortest * std::pow(kLongest / kShortest, random.uniform());
      const double share = std::sqrt(1.0 - c * c) / norm;
      for (std::size_t i = 0; i < d; ++i) {
        rows_[v * d + i] = static_cast<float>(length * (c * towards_true_[i] + share * aside[i]));
      }
    }
    const Similarity& similarity = network_.similarity();
    scratch_.resize(similarity.scratch(options_.variables));
    similarity.score(options_.variables, {rows_.data(), d}, {network_.true_vector().data(), 0}, truth_.data(),
                     scratch_.data());
    for (float& value : truth_) value = logistic(value);
  }

  // Adds a random DNF to the batch and returns the probability that it holds. No variable occurs twice, so the clauses
  // are independent.
  double draw_expression(Random& random) {
    ++expression_;
    double none = 1.0;
    const auto clauses = random.between(1, kMaxClauses);
    for (int i = 0; i < clauses; ++i) {
      clause_.clear();
      double all = 1.0;
      const auto literals = random.between(1, kMaxLiterals);
      for (int j = 0; j < literals; ++j) {
        const VariableId variable = draw_new_variable(random);
        const bool negated = random.chance(0.5);
        clause_.push_back(Literal::of(variable, negated));
        const double p = static_cast<double>(truth_[variable]);
        all *= negated ? 1.0 - p : p;
      }
      expressions_.add_clause(clause_);
      none *= 1.0 - all;
    }
    expressions_.end_expression(Form::kDnf);
    return 1.0 - none;
  }

  VariableId draw_new_variable(Random& random) {
    for (;;) {
      const auto variable = static_cast<VariableId>(random.below(options_.variables));
      if (last_use_[variable] == expression_) continue;
      last_use_[variable] = expression_;
      return variable;
    }
  }

  const LogicNetwork& network_;
  const PretrainOptions& options_;
  std::vector<float> towards_true_;  // T scaled to length 1
  AlignedArray<float> rows_;
  std::vector<float> truth_;  // the probability that each variable is true
  std::vector<float> scratch_;
  std::vector<std::size_t> last_use_;  // the last expression with each variable
  std::size_t expression_ = 0;
  std::vector<Literal> clause_;
  ExpressionBatch expressions_;
  std::vector<float> labels_;
};

// The pretraining of one network.
class ModulePretraining {
 public:
  ModulePretraining(LogicNetwork& network, ThreadPool& threads, const PretrainOptions& options, Random random,
                    TrainingDevice* device)
      : network_(network),
        threads_(threads),
        random_(random),
        batch_(network, options),
        optimizer_(optimizer_options(options), network.parameters()),
        run_(network, threads),
        d_scores_(options.expressions),
        device_(device != nullptr ? device->train(network, nullptr, optimizer_) : nullptr) {
    regularizers_.set_laws(options.law_weight);
    regularizers_.law_share = options.law_share;
  }

  void step() {
    batch_.draw(random_);
    builder_.build(batch_.expressions(), &random_, plan_);
    if (device_) return queue();
    const std::span<const float> scores = run_.forward(plan_, batch_.table(), {.regularizers = &regularizers_});
    loss_ = cross_entropy(scores, batch_.labels(), 0.0, d_scores_) / static_cast<double>(d_scores_.size());
    run_.backward(d_scores_, &random_);
    optimizer_.step(threads_, run_.parameter_gradients());
    network_.prepare();
  }

  // On a device: waits for the steps so far.
  void read_back() {
    if (!device_ || queued_ == 0) return;
    const DeviceSums sums = device_->finish();
    loss_ = sums.task_loss / static_cast<double>(queued_ * d_scores_.size());
    const auto& laws = sums.regularizers.laws;
    law_mean_ = std::accumulate(laws.begin(), laws.end(), 0.0) / static_cast<double>(kLaws * queued_nodes_);
    queued_ = queued_nodes_ = 0;
  }

  // The views that `out` keeps are valid until the next step.
  void add_state(SafetensorsWriter& out, const std::string& prefix) {
    add_parameters(out, network_.parameters(), prefix);
    add_optimizer(out, optimizer_, prefix);
    out.add(prefix + "random", {random_.state().size()}, std::span<const std::uint64_t>(random_.state()));
  }
  void read_state(const SafetensorsFile& in, const std::string& prefix) {
    read_parameters(in, network_.parameters(), prefix);
    read_optimizer(in, optimizer_, prefix);
    Random::State state = {};
    in.copy(prefix + "random", {state.size()}, std::span<std::uint64_t>(state));
    random_.set_state(state);
    network_.prepare();
  }

  // In the last step, or on a device in the steps before the last read_back(): the mean loss over expressions, and the
  // mean over laws and vectors.
  double loss() const { return loss_; }
  double law_mean() const {
    if (device_) return law_mean_;
    const RegularizerValues values = run_.regularizer_values();
    return std::accumulate(values.laws.begin(), values.laws.end(), 0.0) / static_cast<double>(kLaws * plan_.size());
  }

 private:
  void queue() {
    if (regularizers_.any_law()) {
      choose_law_rows(plan_, regularizers_, kLaneCount, &random_, negated_law_rows_, other_law_rows_);
    }
    device_->step({.plan = plan_,
                   .regularizers = regularizers_,
                   .negated_law_rows = negated_law_rows_,
                   .other_law_rows = other_law_rows_,
                   .table = batch_.table(),
                   .table_rows = batch_.table_rows()},
                  {.labels = batch_.labels()});
    ++queued_;
    queued_nodes_ += plan_.size();
  }

  static OptimizerOptions optimizer_options(const PretrainOptions& options) {
    OptimizerOptions result;
    result.learning_rate = options.learning_rate;
    result.clip_value = 10.0;
    // Small steps at the end bring the modules closer to the minimum.
    result.schedule.kind = ScheduleKind::kLinear;
    result.schedule.total_steps = options.steps;
    result.schedule.final_share = 0.02;
    return result;
  }

  LogicNetwork& network_;
  ThreadPool& threads_;
  Random random_;
  PretrainingBatch batch_;
  RegularizerOptions regularizers_;
  Optimizer optimizer_;
  PlanBuilder builder_;
  Plan plan_;
  GradientRun run_;
  std::vector<float> d_scores_;
  double loss_ = 0.0;

  std::unique_ptr<DeviceTraining> device_;  // null: the CPU
  LawRows negated_law_rows_, other_law_rows_;
  double law_mean_ = 0.0;
  std::size_t queued_ = 0;  // steps, and their nodes
  std::size_t queued_nodes_ = 0;
};

}  // namespace

PretrainReport pretrain_modules(LogicNetwork& network, Context& context, const PretrainOptions& options,
                                std::uint64_t stream, const PretrainingPlace& place) {
  LogicNetwork* const one[] = {&network};
  return pretrain_modules(one, context, options, stream, place);
}

PretrainReport pretrain_modules(std::span<LogicNetwork* const> networks, Context& context,
                                const PretrainOptions& options, std::uint64_t stream, const PretrainingPlace& place) {
  // A single network uses all threads; several networks are independent and use one each.
  std::vector<std::unique_ptr<ThreadPool>> own_threads;
  std::vector<std::unique_ptr<ModulePretraining>> trainings;
  const std::uint64_t seed = context.random(stream).next();
  for (LogicNetwork* network : networks) {
    if (networks.size() > 1) own_threads.push_back(std::make_unique<ThreadPool>(1));
    ThreadPool& threads = networks.size() > 1 ? *own_threads.back() : context.pool();
    trainings.push_back(std::make_unique<ModulePretraining>(*network, threads, options, Random(seed, trainings.size()),
                                                            context.device()));
  }
  const auto mean = [&](auto value) {
    double sum = 0.0;
    for (const auto& training : trainings) sum += value(*training);
    return sum / static_cast<double>(trainings.size());
  };

  PretrainReport report;
  const auto save = [&] {
    const std::uint64_t steps = report.steps;
    const std::array<double, 2> values = {report.loss, report.law_mean};
    SafetensorsWriter out;
    for (std::size_t i = 0; i < trainings.size(); ++i) trainings[i]->add_state(out, fmt::format("{}.", i));
    out.add("steps", {1}, std::span(&steps, 1));
    out.add("report", {values.size()}, std::span(values));
    place.store->save_pretraining(place.member, out);
  };
  if (place.store != nullptr) {
    if (const std::optional<SafetensorsFile> saved = place.store->pretraining(place.member)) {
      for (std::size_t i = 0; i < trainings.size(); ++i) trainings[i]->read_state(*saved, fmt::format("{}.", i));
      report.steps = saved->values<std::uint64_t>("steps", {1})[0];
      const std::span<const double> values = saved->values<double>("report", {2});
      report.loss = values[0];
      report.law_mean = values[1];
    }
  }
  auto saved_at = std::chrono::steady_clock::now();
  while (report.steps < options.steps) {
    if (trainings.size() == 1) {
      trainings[0]->step();
    } else {
      context.pool().run(trainings.size(), [&](std::size_t i, std::size_t) { trainings[i]->step(); });
    }
    ++report.steps;
    const auto now = std::chrono::steady_clock::now();
    const bool save_now = report.steps == options.steps || now - saved_at >= kCheckpointInterval;
    if (save_now || report.steps % kReadBack == 0) {
      for (auto& training : trainings) training->read_back();
    }
    report.loss += (mean([](const ModulePretraining& training) { return training.loss(); }) - report.loss) /
                   std::min(static_cast<double>(report.steps), kMeanSteps);
    report.law_mean = mean([](const ModulePretraining& training) { return training.law_mean(); });
    const bool stopped = !context.report({"pretraining", report.steps, options.steps, report.loss});
    if (stopped) {
      for (auto& training : trainings) training->read_back();
    }
    if (stopped || save_now) {
      if (place.store != nullptr) save();
      saved_at = now;
    }
    if (stopped) break;
  }
  return report;
}

}  // namespace linn
