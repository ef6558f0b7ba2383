#include "linn/train/pretrain.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "linn/base/logistic.h"
#include "linn/nn/losses.h"
#include "linn/nn/network_run.h"
#include "linn/optim/optimizer.h"
#include "linn/plan/plan_builder.h"

namespace linn {
namespace {

// The lengths of the drawn vectors are spread over these, since those of variables change in the course of a training.
constexpr double kShortest = 0.05;
constexpr double kLongest = 1.0;

constexpr int kMostClauses = 5;
constexpr int kMostLiterals = 5;

// The loss that is reported is a running mean over about so many steps.
constexpr double kMeanOver = 100.0;

class School {
 public:
  School(LogicNetwork& network, const PretrainOptions& options)
      : network_(network),
        options_(options),
        rows_(options.variables * network.width()),
        scores_(options.variables),
        truth_(options.variables) {
    const auto t = network.true_vector();
    const float norm = std::sqrt(std::inner_product(t.begin(), t.end(), t.begin(), 0.0F));
    for (const float value : t) towards_true_.push_back(value / norm);
  }

  const float* table() const { return rows_.data(); }
  const ExpressionBatch& batch() const { return batch_; }
  std::span<const float> labels() const { return labels_; }

  void draw_lesson(Random& random) {
    draw_variables(random);
    batch_.clear();
    labels_.clear();
    for (std::size_t i = 0; i < options_.expressions; ++i) labels_.push_back(draw_expression(random) ? 1.0F : 0.0F);
  }

 private:
  // Vectors c T + √(1 - c²) u with u orthogonal to T, both of length 1, times a length; each has a value as likely as
  // its similarity to T says.
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
    similarity.score(options_.variables, {rows_.data(), d}, {network_.true_vector().data(), 0}, scores_.data(),
                     scratch_.data());
    for (std::size_t v = 0; v < options_.variables; ++v) {
      truth_[v] = random.chance(logistic(static_cast<double>(scores_[v])));
    }
  }

  // Adds a random DNF to the batch and says whether it holds.
  bool draw_expression(Random& random) {
    bool holds = false;
    const auto clauses = random.between(1, kMostClauses);
    for (int i = 0; i < clauses; ++i) {
      clause_.clear();
      bool all = true;
      const auto literals = random.between(1, kMostLiterals);
      for (int j = 0; j < literals; ++j) {
        const auto variable = static_cast<VariableId>(random.below(options_.variables));
        const bool negated = random.chance(0.5);
        clause_.push_back(Literal::of(variable, negated));
        all = all && truth_[variable] != negated;
      }
      batch_.add_clause(clause_);
      holds = holds || all;
    }
    batch_.end_expression(Form::kDnf);
    return holds;
  }

  LogicNetwork& network_;
  const PretrainOptions& options_;
  std::vector<float> towards_true_;  // T with the length 1
  AlignedArray<float> rows_;
  std::vector<float> scores_;
  std::vector<float> scratch_;
  std::vector<bool> truth_;
  std::vector<Literal> clause_;
  ExpressionBatch batch_;
  std::vector<float> labels_;
};

}  // namespace

PretrainReport pretrain_modules(LogicNetwork& network, Context& context, const PretrainOptions& options,
                                std::uint64_t stream) {
  Random random = context.random(stream);
  RegularizerOptions regularizers;
  regularizers.set_laws(options.law_weight);
  OptimizerOptions optimizer_options;
  optimizer_options.learning_rate = options.learning_rate;
  optimizer_options.clip_value = 10.0;
  // The last steps are small ones: the modules are to be right, not only near it.
  optimizer_options.schedule.kind = ScheduleKind::kLinear;
  optimizer_options.schedule.total_steps = options.steps;
  optimizer_options.schedule.final_share = 0.02;
  Optimizer optimizer(optimizer_options, network.parameters());
  School school(network, options);
  PlanBuilder builder;
  Plan plan;
  NetworkRun run(network, context.pool());
  std::vector<float> d_scores(options.expressions);

  PretrainReport report;
  for (std::size_t step = 0; step < options.steps; ++step) {
    school.draw_lesson(random);
    builder.build(school.batch(), &random, plan);
    const std::span<const float> scores = run.forward(plan, school.table(), {.regularizers = &regularizers});
    const double loss = cross_entropy(scores, school.labels(), {}, d_scores) / static_cast<double>(options.expressions);
    network.parameters().clear_gradients();
    run.backward(d_scores, &random);
    optimizer.step(context.pool());
    network.prepare();

    report.steps = step + 1;
    report.loss += (loss - report.loss) / std::min(static_cast<double>(step + 1), kMeanOver);
    const RegularizerValues values = run.regularizer_values();
    report.law_mean = std::accumulate(values.laws.begin(), values.laws.end(), 0.0) / (kLaws * plan.size());
    if (!context.report({"pre-training", step + 1, options.steps, report.loss})) break;
  }
  return report;
}

}  // namespace linn
