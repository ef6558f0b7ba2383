#include "linn/nn/backward_pass.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "linn/base/logistic.h"
#include "linn/kernels/elementwise.h"
#include "linn/kernels/matmul.h"
#include "linn/nn/activation.h"
#include "linn/nn/blocks.h"
#include "linn/nn/law_pass.h"

namespace linn {
namespace {

void clear_sums(const ForwardMemory& m, GradientMemory& g, bool learned_before) {
  // Fixed modules have gradients of zero: those of an earlier pass must not be left.
  if (g.modules_learn || learned_before) g.parameters.clear();
  m.pool.run(g.lanes.size(), [&](std::size_t i, std::size_t) {
    Lane& lane = g.lanes[i];
    if (g.modules_learn) lane.parameters.clear();
    lane.d_constants.fill(0.0F);
    lane.d_false.fill(0.0F);
    lane.laws.fill(0.0);
    lane.length = 0.0;
  });
  g.d_vectors.fill(0.0F);
  const auto clear = [&](std::uint32_t begin, std::uint32_t end) {
    std::fill_n(g.d_projection(begin), (end - begin) * m.network.projections(), 0.0F);
  };
  clear(Plan::kTrue, Plan::kFirstVariable);
  for (const Segment& segment : m.segments) {
    // Laws on every vector set all of these rows.
    if (segment.project_negation && !segment.project_all) clear(segment.begin, segment.end);
  }
}

// Row by row, since expressions may share a root.
void add_root_gradients(const ForwardMemory& m, GradientMemory& g, const float* d_roots) {
  const std::size_t d = m.network.width();
  accumulate_rows(m.plan->roots.size(), d, {d_roots, d}, {g.d_vectors.data(), d, m.plan->roots.data()});
}

void root_gradients(ForwardMemory& m, GradientMemory& g, std::span<const float> d_scores) {
  const std::size_t d = m.network.width();
  const std::size_t roots = m.plan->roots.size();
  const std::uint32_t* nodes = m.plan->roots.data();
  g.root_gradients.reshape(roots * d);
  m.network.similarity().backward(roots, {m.vectors.data(), d, nodes}, {m.vector(Plan::kTrue), 0}, d_scores.data(),
                                  {g.root_gradients.data(), d}, false, {}, g.parameter_gradients(g.lanes[0]),
                                  m.root_scratch.data());
  add_root_gradients(m, g, g.root_gradients.data());
}

// Adds the gradients that the users of each node in [begin, end) have for one slot to the node's row of the target.
void gather_from_users(const Plan& plan, GradientScratch& s, Slot slot, std::uint32_t begin, std::uint32_t end,
                       const float* from, std::size_t columns, const RowTarget& to) {
  s.users.clear();
  s.used.clear();
  for (std::uint32_t node = begin; node < end; ++node) {
    for (const std::uint32_t user : plan.users_of(node, slot)) {
      s.users.push_back(user - plan.first_gate());
      s.used.push_back(node);
    }
  }
  accumulate_rows(s.users.size(), columns, {from, columns, s.users.data()}, {to.data, to.stride, s.used.data()});
}

// The part of the gradient that comes through the projections: to the vectors, and to the matrix of projections.
void projections_backward_all(const ForwardMemory& m, GradientMemory& g, Lane& lane, GradientScratch& s,
                              std::uint32_t begin, std::uint32_t end) {
  const LogicNetwork& net = m.network;
  const std::size_t d = net.width();
  const std::size_t p = net.projections();
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    gather_from_users(*m.plan, s, static_cast<Slot>(slot), begin, end, g.d_gate_hidden.data(),
                      net.hidden(static_cast<Slot>(slot)),
                      {g.d_projections.data() + net.slot_offset(static_cast<Slot>(slot)), p});
  }
  const std::size_t rows = end - begin;
  matmul({rows, d, p}, by_rows(g.d_projection(begin), p), net.projection_transposed(), d, g.d_vector(begin), d,
         {.accumulate = true});
  if (g.modules_learn) add_projection_products(net, lane.parameters, rows, m.vector(begin), g.d_projection(begin));
}

void projections_backward_used(const ForwardMemory& m, GradientMemory& g, Lane& lane, GradientScratch& s,
                               const Segment& segment, std::uint32_t begin, std::uint32_t end) {
  const LogicNetwork& net = m.network;
  const std::size_t d = net.width();
  const std::size_t p = net.projections();
  for (std::size_t i = 0; i < kSlots; ++i) {
    const Slot slot = static_cast<Slot>(i);
    const std::size_t h = net.hidden(slot);
    if (h == 0) continue;
    used_rows(*m.plan, slot, begin, end, s.rows);
    const std::size_t rows = s.rows.size();
    if (rows == 0) continue;
    s.users.clear();
    s.used.clear();
    for (std::uint32_t row = 0; row < rows; ++row) {
      for (const std::uint32_t user : m.plan->users_of(s.rows[row], slot)) {
        s.users.push_back(user - m.plan->first_gate());
        s.used.push_back(row);
      }
    }
    std::fill_n(s.d_hidden.data(), rows * h, 0.0F);
    accumulate_rows(s.users.size(), h, {g.d_gate_hidden.data(), h, s.users.data()},
                    {s.d_hidden.data(), h, s.used.data()});
    const std::size_t offset = net.slot_offset(slot);
    matmul({rows, d, h}, by_rows(s.d_hidden.data(), h), net.projection_transposed() + offset * d, d, s.product.data(),
           d);
    accumulate_rows(rows, d, {s.product.data(), d}, {g.d_vectors.data(), d, s.rows.data()});
    if (!g.modules_learn) continue;
    copy_rows(rows, d, {m.vectors.data(), d, s.rows.data()}, {s.gathered.data(), d});
    lane.parameters.add_product(net.projection_of(slot), rows, s.gathered.data(), s.d_hidden.data(), h);
  }
  if (segment.project_negation) {
    const std::size_t rows = end - begin;
    const std::size_t offset = net.negation_offset();
    const std::size_t columns = net.negation_hidden();
    matmul({rows, d, columns}, by_rows(g.d_projection(begin) + offset, p), net.projection_transposed() + offset * d, d,
           g.d_vector(begin), d, {.accumulate = true});
    if (!g.modules_learn) return;
    lane.parameters.add_product(net.negation().in, rows, m.vector(begin), g.d_projection(begin) + offset, p);
  }
}

// Heads that use their operands have gradients of the vectors themselves.
void operands_backward(const ForwardMemory& m, GradientMemory& g, GradientScratch& s, std::uint32_t begin,
                       std::uint32_t end) {
  const std::size_t d = m.network.width();
  for (const Gate gate : {Gate::kAnd, Gate::kOr}) {
    if (!m.network.gate(gate).head->uses_operands()) continue;
    gather_from_users(*m.plan, s, slot_of(gate, false), begin, end, g.d_gate_left.data(), d, {g.d_vectors.data(), d});
    if (!m.network.gate(gate).head->uses_right_operand()) continue;
    gather_from_users(*m.plan, s, slot_of(gate, true), begin, end, g.d_gate_right.data(), d, {g.d_vectors.data(), d});
  }
}

// lambda * sum of |w|^2, or of |w|.
void length_term(const ForwardMemory& m, GradientMemory& g, Lane& lane, std::uint32_t begin, std::uint32_t end) {
  if (m.regularizers == nullptr || m.regularizers->length == 0.0F) return;
  const RegularizerOptions& options = *m.regularizers;
  const std::size_t d = m.network.width();
  for (std::uint32_t node = begin; node < end; ++node) {
    const float count = options.weight(m.plan->occurrences[node]) * m.plan->share(node);
    const float square = squared_norm(d, m.vector(node));
    const float norm = std::sqrt(square);
    lane.length += static_cast<double>(count * (options.squared_length ? square : norm));
    // The norm has no gradient at zero: a vector of zeros stays.
    const float factor = options.squared_length ? 2.0F : norm > 0.0F ? 1.0F / norm : 0.0F;
    axpy(d, options.length * count * factor, m.vector(node), g.d_vector(node));
  }
}

void gates_backward(const ForwardMemory& m, GradientMemory& g, Lane& lane, GradientScratch& s, Gate kind,
                    std::uint32_t begin, std::uint32_t end) {
  const LogicNetwork& net = m.network;
  const std::size_t d = net.width();
  const std::size_t h = net.hidden(kind);
  const std::size_t rows = end - begin;
  const std::size_t first = begin - m.plan->first_gate();
  const LogicNetwork::GateModule& module = net.gate(kind);
  OperandGradients operands;
  if (module.head->uses_operands()) {
    operands.left = {g.d_gate_left.data() + first * d, d};
    std::fill_n(operands.left.data, rows * d, 0.0F);
    if (module.head->uses_right_operand()) {
      operands.right = {g.d_gate_right.data() + first * d, d};
      std::fill_n(operands.right.data, rows * d, 0.0F);
    }
  }
  // Recomputes the first layer: two additions are cheaper than keeping it.
  const HeadInput input = gate_hidden(m, s, kind, begin, end);
  float* d_hidden = g.d_gate_hidden.data() + first * h;
  module.head->backward(input, g.d_vector(begin), d_hidden, g.parameter_gradients(lane), operands, s.head.data());
  activation_backward(net.options().gate.activation, rows * h, input.hidden, d_hidden);
  g.add_bias_gradient(lane, module.bias, rows, h, d_hidden);
}

// Through NOT of some nodes, back to their projections.
void negations_backward(const ForwardMemory& m, GradientMemory& g, Lane& lane, GradientScratch& s,
                        std::span<const std::uint32_t> operands, const float* d_output) {
  const LogicNetwork& net = m.network;
  const std::size_t columns = net.negation_hidden();
  const std::size_t rows = operands.size();
  const HeadInput input = negation_hidden(m, operands, s.hidden.data());
  net.negation().head->backward(input, d_output, s.d_hidden.data(), g.parameter_gradients(lane),
                                {{g.d_vectors.data(), net.width(), operands.data()}, {}}, s.head.data());
  activation_backward(net.options().negation.activation, rows * columns, input.hidden, s.d_hidden.data());
  g.add_bias_gradient(lane, net.negation().bias, rows, columns, s.d_hidden.data());
  accumulate_rows(rows, columns, {s.d_hidden.data(), columns},
                  {g.d_projections.data() + net.negation_offset(), net.projections(), operands.data()});
}

void variables_backward(const ForwardMemory& m, GradientMemory& g, std::uint32_t begin, std::uint32_t end) {
  if (!m.has_dropout) return;
  const std::size_t d = m.network.width();
  float* gradient = g.d_vector(begin);
  const float* factor = m.dropout.data() + (begin - Plan::kFirstVariable) * d;
  for (std::size_t i = 0; i < (end - begin) * d; ++i) gradient[i] *= factor[i];
}

// F = NOT(T), and T differs from it (the first law, for w = T).
void constants_backward(const ForwardMemory& m, GradientMemory& g) {
  const LogicNetwork& net = m.network;
  const std::size_t d = net.width();
  const std::size_t p = net.projections();
  Lane& first = g.lanes[0];
  GradientScratch& s = g.scratch[0];
  for (const Lane& lane : g.lanes) {
    axpy(2 * p, 1.0F, lane.d_constants.data(), g.d_projection(Plan::kTrue));
    axpy(d, 1.0F, lane.d_false.data(), g.d_vector(Plan::kFalse));
  }
  if (m.regularizers != nullptr && m.regularizers->laws[kNegation] != 0.0F) {
    const RowSource f = {m.vector(Plan::kFalse), 0};
    const RowSource t = {m.vector(Plan::kTrue), 0};
    float score = 0.0F;
    net.law_similarity().score(1, f, t, &score, s.similarity.data());
    const float sim = logistic(score);
    const float share = m.plan->share_of_constants();
    first.laws[kNegation] += static_cast<double>(share * sim);
    const float d_score = m.regularizers->laws[kNegation] * share * sim * (1.0F - sim);
    net.law_similarity().backward(1, f, t, &d_score, {g.d_vector(Plan::kFalse), 0}, true, {},
                                  g.parameter_gradients(first), s.similarity.data());
  }
  operands_backward(m, g, s, Plan::kFalse, Plan::kFalse + 1);
  projections_backward_all(m, g, first, s, Plan::kFalse, Plan::kFalse + 1);
  const std::uint32_t operand = Plan::kTrue;
  negations_backward(m, g, first, s, {&operand, 1}, g.d_vector(Plan::kFalse));
  projections_backward_all(m, g, first, s, Plan::kTrue, Plan::kTrue + 1);
}

// Adds the lanes in order.
void add_lanes(const ForwardMemory& m, GradientMemory& g) {
  m.pool.run(g.lanes.size(), [&](std::size_t lane, std::size_t) { g.lanes[lane].parameters.finish_products(); });
  m.pool.run(g.parts.size(), [&](std::size_t i, std::size_t) {
    const GradientMemory::Part& part = g.parts[i];
    const MatrixView total = g.parameters.of(part.parameter);
    for (Lane& lane : g.lanes) lane.parameters.add_to(part.parameter, part.begin, part.end, total);
  });
}

void segment_backward(const ForwardMemory& m, GradientMemory& g, const Segment& segment, Lane& lane, GradientScratch& s,
                      std::uint32_t begin, std::uint32_t end) {
  operands_backward(m, g, s, begin, end);
  if (segment.project_all) {
    projections_backward_all(m, g, lane, s, begin, end);
  } else {
    projections_backward_used(m, g, lane, s, segment, begin, end);
  }
  length_term(m, g, lane, begin, end);
  switch (segment.kind) {
    case Segment::Kind::kVariables:
      variables_backward(m, g, begin, end);
      break;
    case Segment::Kind::kNegations:
      fill_range(s.rows, begin - m.plan->first_negation() + Plan::kFirstVariable,
                 end - m.plan->first_negation() + Plan::kFirstVariable);
      negations_backward(m, g, lane, s, s.rows, g.d_vector(begin));
      break;
    case Segment::Kind::kGates:
      gates_backward(m, g, lane, s, segment.gate, begin, end);
      break;
  }
}

// `add_roots` adds the gradients of the roots.
template <class AddRoots>
void run_backward(ForwardMemory& m, GradientMemory& g, const AddRoots& add_roots, Random* random, Modules modules) {
  const bool learned_before = g.modules_learn;
  g.modules_learn = modules == Modules::kLearn;
  g.bind(m);
  const bool laws = m.regularizers != nullptr && m.regularizers->any_law();
  if (laws) choose_law_rows(*m.plan, *m.regularizers, lanes_of(m.pool), random, g.negated_law_rows, g.other_law_rows);
  clear_sums(m, g, learned_before);
  add_roots();
  if (laws) law_pass(m, g);

  for (std::size_t i = m.segments.size(); i-- > 0;) {
    const Segment& segment = m.segments[i];
    for_each_block(m.pool, segment.end - segment.begin,
                   [&](std::size_t lane, std::size_t thread, std::size_t begin, std::size_t end) {
                     segment_backward(m, g, segment, g.lanes[lane], g.scratch[thread],
                                      static_cast<std::uint32_t>(segment.begin + begin),
                                      static_cast<std::uint32_t>(segment.begin + end));
                   });
  }
  constants_backward(m, g);
  if (g.modules_learn) add_lanes(m, g);
}

}  // namespace

void backward_pass(ForwardMemory& m, GradientMemory& g, std::span<const float> d_scores, Random* random,
                   Modules modules) {
  assert(d_scores.size() == m.plan->roots.size());
  run_backward(
      m, g, [&] { root_gradients(m, g, d_scores); }, random, modules);
}

void backward_pass_from_vectors(ForwardMemory& m, GradientMemory& g, const float* d_roots, Random* random,
                                Modules modules) {
  run_backward(
      m, g, [&] { add_root_gradients(m, g, d_roots); }, random, modules);
}

}  // namespace linn
