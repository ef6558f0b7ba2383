#include "linn/recommend/linn/target_scorer.h"

#include <algorithm>
#include <cassert>

#include "linn/kernels/matmul.h"
#include "linn/nn/activation.h"

namespace linn {

AlignedArray<float> project_targets(const LogicNetwork& network, const float* table, std::size_t rows,
                                    ThreadPool& threads) {
  const std::size_t d = network.width();
  const std::size_t h = network.hidden(Gate::kAnd);
  AlignedArray<float> projected(rows * h);
  constexpr std::size_t kRows = 1024;
  threads.run((rows + kRows - 1) / kRows, [&](std::size_t task, std::size_t) {
    const std::size_t begin = task * kRows;
    matmul({std::min(kRows, rows - begin), h, d}, by_rows(table + begin * d, d),
           network.projection() + network.slot_offset(Slot::kAndRight), network.projections(),
           projected.data() + begin * h, h);
  });
  return projected;
}

double multiply_adds_of_target(const LogicNetwork& network, std::size_t arguments, bool projected) {
  const auto slot = [&](Gate gate) { return static_cast<double>(network.width() * network.hidden(gate)); };
  const auto count = static_cast<double>(arguments);
  const auto and_head = static_cast<double>(network.gate(Gate::kAnd).head->multiply_adds());
  const auto or_head = static_cast<double>(network.gate(Gate::kOr).head->multiply_adds());
  return (projected ? 0.0 : slot(Gate::kAnd)) + count * and_head + (count - 1.0) * (2.0 * slot(Gate::kOr) + or_head) +
         static_cast<double>(network.similarity().multiply_adds());
}

TargetScorer::TargetScorer(const LogicNetwork& network, const float* arguments, std::size_t count)
    : network_(network), arguments_(arguments), projected_arguments_(count * network.hidden(Gate::kAnd)) {
  const std::size_t d = network.width();
  const std::size_t h = network.hidden(Gate::kAnd);
  matmul({count, h, d}, by_rows(arguments, d), network.projection() + network.slot_offset(Slot::kAndLeft),
         network.projections(), projected_arguments_.data(), h);
}

TargetScorer::Scratch::Scratch(const LogicNetwork& network)
    : vectors(kBlock * network.width()),
      projected(kBlock * network.hidden(Gate::kAnd)),
      hidden(kBlock * network.widest_hidden()),
      joined(kBlock * network.width()),
      clause(kBlock * network.width()),
      head(std::max(network.gate(Gate::kAnd).head->scratch(kBlock), network.gate(Gate::kOr).head->scratch(kBlock))),
      similarity(network.similarity().scratch(kBlock)) {}

// R t of the block, in the order of the targets.
const float* TargetScorer::projected_of(const Targets& targets, Scratch& scratch) const {
  const std::size_t d = network_.width();
  const std::size_t h = network_.hidden(Gate::kAnd);
  if (targets.projected != nullptr) {
    if (targets.vectors.index == nullptr) return targets.projected;
    copy_rows(targets.count, h, {targets.projected, h, targets.vectors.index}, {scratch.projected.data(), h});
    return scratch.projected.data();
  }
  const float* vectors = targets.vectors.data;
  if (targets.vectors.index != nullptr) {
    copy_rows(targets.count, d, targets.vectors, {scratch.vectors.data(), d});
    vectors = scratch.vectors.data();
  }
  matmul({targets.count, h, d}, by_rows(vectors, d), network_.projection() + network_.slot_offset(Slot::kAndRight),
         network_.projections(), scratch.projected.data(), h);
  return scratch.projected.data();
}

void TargetScorer::score(std::size_t begin, std::size_t end, const Targets& targets, Scratch& scratch,
                         float* scores) const {
  assert(begin < end && targets.count <= kBlock);
  const std::size_t d = network_.width();
  const std::size_t h = network_.hidden(Gate::kAnd);
  const std::size_t or_hidden = network_.hidden(Gate::kOr);
  const std::size_t rows = targets.count;
  const Activation activation = network_.options().gate.activation;
  const LogicNetwork::GateModule& conjunction = network_.gate(Gate::kAnd);
  const LogicNetwork::GateModule& disjunction = network_.gate(Gate::kOr);
  const float* projected = projected_of(targets, scratch);
  float* hidden = scratch.hidden.data();
  float* joined = scratch.joined.data();

  for (std::size_t i = begin; i < end; ++i) {
    // g_i and t
    add_activate(activation, rows, h, {projected_arguments_.data() + i * h, 0}, {projected, h}, conjunction.bias_value,
                 hidden);
    float* clause = i == begin ? joined : scratch.clause.data();
    conjunction.head->forward({rows, hidden, {arguments_ + i * d, 0}, targets.vectors}, clause, scratch.head.data());
    if (i == begin) continue;

    // (result so far) or (g_i and t): both products and the activation write to one array.
    const bool relu = activation == Activation::kRelu;
    matmul({rows, or_hidden, d}, by_rows(joined, d), network_.projection() + network_.slot_offset(Slot::kOrLeft),
           network_.projections(), hidden, or_hidden, {.bias = disjunction.bias_value});
    matmul({rows, or_hidden, d}, by_rows(clause, d), network_.projection() + network_.slot_offset(Slot::kOrRight),
           network_.projections(), hidden, or_hidden, {.accumulate = true, .relu = relu});
    if (!relu) activate(activation, rows * or_hidden, hidden);
    if (disjunction.head->uses_operands()) {
      // Such a head adds its operands to its output, so the output must not alias them.
      disjunction.head->forward({rows, hidden, {joined, d}, {clause, d}}, scratch.vectors.data(), scratch.head.data());
      std::swap(scratch.joined, scratch.vectors);
      joined = scratch.joined.data();
    } else {
      disjunction.head->forward({rows, hidden, {}, {}}, joined, scratch.head.data());
    }
  }
  network_.similarity().score(rows, {joined, d}, {network_.true_vector().data(), 0}, scores, scratch.similarity.data());
}

}  // namespace linn
