#include "linn/equations/network_trace.h"

#include <algorithm>
#include <limits>

#include "linn/base/logistic.h"
#include "linn/nn/forward_run.h"
#include "linn/plan/plan_builder.h"

namespace linn {
namespace {

constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();

// Nodes of the plan that matter. T and F are in every plan; here they appear only if they are used.
struct Graph {
  NetworkTrace trace;
  std::vector<std::uint32_t> place;  // in the trace, of each node of the plan
};

Graph graph_of(const Plan& plan) {
  Graph graph{{}, std::vector<std::uint32_t>(plan.size(), kUnused)};
  const std::uint32_t root = plan.roots[0];
  std::vector<bool> used(plan.size(), true);
  used[Plan::kFalse] = root == Plan::kFalse || std::ranges::count(plan.left, Plan::kFalse) > 0 ||
                       std::ranges::count(plan.right, Plan::kFalse) > 0;
  used[Plan::kTrue] = root == Plan::kTrue || used[Plan::kFalse] || std::ranges::count(plan.left, Plan::kTrue) > 0 ||
                      std::ranges::count(plan.right, Plan::kTrue) > 0;
  const auto add = [&](std::uint32_t node, TraceNode made) {
    if (!used[node]) return;
    graph.place[node] = static_cast<std::uint32_t>(graph.trace.nodes.size());
    graph.trace.nodes.push_back(std::move(made));
  };
  add(Plan::kTrue, {TraceKind::kTrue, 0, {}, 0.0F});
  add(Plan::kFalse, {TraceKind::kFalse, 0, {graph.place[Plan::kTrue]}, 0.0F});
  for (std::uint32_t i = 0; i < plan.variables.size(); ++i) {
    add(Plan::kFirstVariable + i, {TraceKind::kVariable, plan.variables[i], {}, 0.0F});
  }
  for (std::uint32_t i = 0; i < plan.negated; ++i) {
    add(plan.first_negation() + i, {TraceKind::kNot, 0, {graph.place[Plan::kFirstVariable + i]}, 0.0F});
  }
  for (const Plan::Level& level : plan.levels) {
    for (std::uint32_t node = level.begin; node < level.end; ++node) {
      const std::uint32_t gate = node - plan.first_gate();
      add(node, {level.gate == Gate::kAnd ? TraceKind::kAnd : TraceKind::kOr,
                 0,
                 {graph.place[plan.left[gate]], graph.place[plan.right[gate]]},
                 0.0F});
    }
  }
  graph.trace.root = graph.place[root];
  return graph;
}

// The vectors of the plan's variables, numbered from 0 in its order, with those of T and F for what is assumed.
class AssumedTable {
 public:
  AssumedTable(const LogicModel& model, const Plan& plan, std::span<const Assumption> assumed, ThreadPool& threads)
      : rows_(plan.variables.size() * model.network.width()) {
    const std::size_t d = model.network.width();
    Plan constants;  // T and F are the first nodes of every plan, even of an empty one
    PlanBuilder().build(ExpressionBatch(), nullptr, constants);
    ForwardRun run(model.network, threads);
    run.forward_vectors(constants, nullptr);
    for (std::size_t i = 0; i < plan.variables.size(); ++i) {
      const float* vector = model.variables.row(plan.variables[i]);
      for (const Assumption& assumption : assumed) {
        if (assumption.variable != plan.variables[i]) continue;
        vector = run.vector(assumption.value ? Plan::kTrue : Plan::kFalse).data();
      }
      std::copy_n(vector, d, rows_.begin() + static_cast<std::ptrdiff_t>(i * d));
    }
  }

  const float* data() const { return rows_.data(); }

 private:
  std::vector<float> rows_;
};

}  // namespace

NetworkTrace trace_networks(std::span<const LogicModel* const> models, const NormalForm& form,
                            std::span<const Assumption> assumed, ThreadPool& threads) {
  ExpressionBatch batch;
  batch.add(form);
  Plan plan;
  PlanBuilder().build(batch, nullptr, plan);
  Graph graph = graph_of(plan);
  Plan renumbered = plan;
  for (std::uint32_t i = 0; i < renumbered.variables.size(); ++i) renumbered.variables[i] = i;

  std::vector<float> scores(plan.size());
  for (const LogicModel* model : models) {
    const LogicNetwork& network = model->network;
    ForwardRun run(network, threads);
    const float root = assumed.empty()
                           ? run.forward(plan, model->variables.row(0))[0]
                           : run.forward(renumbered, AssumedTable(*model, plan, assumed, threads).data())[0];
    const Similarity& similarity = network.similarity();
    std::vector<float> scratch(similarity.scratch(plan.size()));
    similarity.score(plan.size(), {run.vector(0).data(), network.width()}, {network.true_vector().data(), 0},
                     scores.data(), scratch.data());
    scores[plan.roots[0]] = root;
    for (std::uint32_t node = 0; node < plan.size(); ++node) {
      if (graph.place[node] == kUnused) continue;
      graph.trace.nodes[graph.place[node]].truth += logistic(scores[node]) / static_cast<float>(models.size());
    }
  }
  return std::move(graph.trace);
}

}  // namespace linn
