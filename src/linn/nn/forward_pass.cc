#include "linn/nn/forward_pass.h"

#include <algorithm>
#include <cassert>

#include "linn/kernels/elementwise.h"
#include "linn/kernels/matmul.h"
#include "linn/nn/activation.h"
#include "linn/nn/blocks.h"

namespace linn {
namespace {

// P = V projection, for nodes [begin, end).
void project_all(ForwardMemory& m, std::uint32_t begin, std::uint32_t end) {
  const std::size_t d = m.network.width();
  const std::size_t s = m.network.projections();
  matmul({end - begin, s, d}, by_rows(m.vector(begin), d), m.network.projection(), s, m.projection(begin), s);
}

// output = NOT of the nodes, one row each.
void negate_rows(const ForwardMemory& m, ForwardScratch& scratch, std::span<const std::uint32_t> operands,
                 float* output) {
  const HeadInput input = negation_hidden(m, operands, scratch.hidden.data());
  m.network.negation().head->forward(input, output, scratch.head.data());
}

// T is given, F = NOT(T); both with all their projections.
void compute_constants(ForwardMemory& m) {
  const LogicNetwork& net = m.network;
  std::ranges::copy(net.true_vector(), m.vector(Plan::kTrue));
  project_all(m, Plan::kTrue, Plan::kTrue + 1);
  const std::uint32_t operand = Plan::kTrue;
  negate_rows(m, m.scratch[0], {&operand, 1}, m.vector(Plan::kFalse));
  project_all(m, Plan::kFalse, Plan::kFalse + 1);
}

void draw_dropout(ForwardMemory& m, const DropoutOptions& dropout) {
  m.has_dropout = dropout.rate > 0.0F;
  if (!m.has_dropout) return;
  assert(dropout.random != nullptr);
  m.dropout.reshape(m.plan->variables.size() * m.network.width());
  const float kept = 1.0F / (1.0F - dropout.rate);
  for (float& factor : m.dropout.span()) factor = dropout.random->chance(dropout.rate) ? 0.0F : kept;
}

// The vectors of the variables [begin, end), counted from the first variable.
void gather_variables(ForwardMemory& m, const float* table, std::size_t begin, std::size_t end) {
  const std::size_t d = m.network.width();
  float* out = m.vector(Plan::kFirstVariable + begin);
  copy_rows(end - begin, d, {table, d, m.plan->variables.data() + begin}, {out, d});
  if (!m.has_dropout) return;
  const float* factor = m.dropout.data() + begin * d;
  for (std::size_t i = 0; i < (end - begin) * d; ++i) out[i] *= factor[i];
}

// V = head(f(P_left[a] + P_right[b] + bias)) for the gates [begin, end) of one level.
void compute_gates(ForwardMemory& m, ForwardScratch& scratch, Gate kind, std::uint32_t begin, std::uint32_t end) {
  const HeadInput input = gate_hidden(m, scratch, kind, begin, end);
  m.network.gate(kind).head->forward(input, m.vector(begin), scratch.head.data());
}

// Projects only what gates of the batch use: slot by slot, the rows that have a user.
void project_used(ForwardMemory& m, ForwardScratch& scratch, const Segment& segment, std::uint32_t begin,
                  std::uint32_t end) {
  const LogicNetwork& net = m.network;
  const std::size_t d = net.width();
  const std::size_t s = net.projections();
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    const std::size_t h = net.hidden(static_cast<Slot>(slot));
    if (h == 0) continue;
    used_rows(*m.plan, static_cast<Slot>(slot), begin, end, scratch.rows);
    const std::size_t rows = scratch.rows.size();
    if (rows == 0) continue;
    copy_rows(rows, d, {m.vectors.data(), d, scratch.rows.data()}, {scratch.gathered.data(), d});
    const std::size_t offset = net.slot_offset(static_cast<Slot>(slot));
    matmul({rows, h, d}, by_rows(scratch.gathered.data(), d), net.projection() + offset, s, scratch.hidden.data(), h);
    copy_rows(rows, h, {scratch.hidden.data(), h}, {m.projections.data() + offset, s, scratch.rows.data()});
  }
  if (segment.project_negation) {
    const std::size_t offset = net.negation_offset();
    matmul({end - begin, net.negation_hidden(), d}, by_rows(m.vector(begin), d), net.projection() + offset, s,
           m.projection(begin) + offset, s);
  }
}

void compute_segment(ForwardMemory& m, const float* table, const Segment& segment, ForwardScratch& scratch,
                     std::uint32_t begin, std::uint32_t end) {
  switch (segment.kind) {
    case Segment::Kind::kVariables:
      gather_variables(m, table, begin - Plan::kFirstVariable, end - Plan::kFirstVariable);
      break;
    case Segment::Kind::kNegations:
      fill_range(scratch.rows, begin - m.plan->first_negation() + Plan::kFirstVariable,
                 end - m.plan->first_negation() + Plan::kFirstVariable);
      negate_rows(m, scratch, scratch.rows, m.vector(begin));
      break;
    case Segment::Kind::kGates:
      compute_gates(m, scratch, segment.gate, begin, end);
      break;
  }
  if (segment.project_all) {
    project_all(m, begin, end);
  } else {
    project_used(m, scratch, segment, begin, end);
  }
}

}  // namespace

void forward_pass(ForwardMemory& m, const float* table, const DropoutOptions& dropout) {
  compute_constants(m);
  draw_dropout(m, dropout);
  for (const Segment& segment : m.segments) {
    for_each_block(
        m.pool, segment.end - segment.begin, [&](std::size_t, std::size_t thread, std::size_t begin, std::size_t end) {
          compute_segment(m, table, segment, m.scratch[thread], static_cast<std::uint32_t>(segment.begin + begin),
                          static_cast<std::uint32_t>(segment.begin + end));
        });
  }
}

void score_roots(ForwardMemory& m) {
  const std::size_t d = m.network.width();
  const std::size_t roots = m.plan->roots.size();
  m.scores.reshape(roots);
  m.root_scratch.reshape(m.network.similarity().scratch(roots));
  m.network.similarity().score(roots, {m.vectors.data(), d, m.plan->roots.data()}, {m.vector(Plan::kTrue), 0},
                               m.scores.data(), m.root_scratch.data());
}

}  // namespace linn
