#include "linn/train/pretrain.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "linn/nn/losses.h"
#include "linn/nn/network_run.h"
#include "linn/optim/optimizer.h"
#include "linn/plan/plan_builder.h"

namespace linn {
namespace {

struct TruthTable {
  std::vector<PlanBuilder::ConstantGate> gates;
  std::vector<float> values;
};

TruthTable truth_table() {
  TruthTable table;
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      table.gates.push_back({Gate::kAnd, a, b});
      table.values.push_back(a && b ? 1.0F : 0.0F);
      table.gates.push_back({Gate::kOr, a, b});
      table.values.push_back(a || b ? 1.0F : 0.0F);
    }
  }
  return table;
}

double law_mean(const RegularizerValues& values, std::size_t vectors) {
  return std::accumulate(values.laws.begin(), values.laws.end(), 0.0) / static_cast<double>(kLaws * vectors);
}

}  // namespace

PretrainReport pretrain_modules(LogicNetwork& network, Context& context, const PretrainOptions& options,
                                std::uint64_t stream) {
  ThreadPool& pool = context.pool();
  Random random = context.random(stream);
  const std::size_t d = network.width();
  const std::size_t vectors = options.vectors + 2;  // and T and F
  const TruthTable table = truth_table();
  std::vector<VariableId> loose(vectors);
  std::iota(loose.begin(), loose.end(), 0U);
  Plan plan;
  PlanBuilder().build(table.gates, loose, plan);

  RegularizerOptions regularizers;
  regularizers.set_laws(options.law_weight);
  OptimizerOptions optimizer_options;
  optimizer_options.learning_rate = options.learning_rate;
  optimizer_options.clip_value = 10.0;
  Optimizer optimizer(optimizer_options, network.parameters());
  NetworkRun run(network, pool);
  AlignedArray<float> rows(vectors * d);
  std::vector<float> d_scores(table.values.size());

  PretrainReport report;
  for (std::size_t step = 0; step < options.steps; ++step) {
    for (float& value : rows.span().first(options.vectors * d)) {
      value = options.deviation * static_cast<float>(random.normal());
    }
    float* constants = rows.data() + options.vectors * d;
    std::ranges::copy(network.true_vector(), constants);
    // F of the step before: it moves, but slowly. The first step begins with what the network makes of T.
    if (step == 0) run.forward(plan, rows.data());
    std::ranges::copy(run.vector(Plan::kFalse), constants + d);

    const std::span<const float> scores = run.forward(plan, rows.data(), {.regularizers = &regularizers});
    report.truth_table_loss = cross_entropy(scores, table.values, {}, d_scores);
    for (float& gradient : d_scores) gradient *= options.truth_table_weight;
    network.parameters().clear_gradients();
    run.backward(d_scores, &random);
    report.last_law_mean = law_mean(run.regularizer_values(), vectors);
    if (step == 0) report.first_law_mean = report.last_law_mean;
    optimizer.step(pool);
    network.prepare();
    report.steps = step + 1;
    if (!context.report({"pre-training", step + 1, options.steps, report.last_law_mean})) break;
  }
  return report;
}

}  // namespace linn
