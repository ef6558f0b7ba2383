#include "linn/nn/blocks.h"

#include <numeric>

#include "linn/kernels/matmul.h"
#include "linn/nn/activation.h"

namespace linn {
void fill_range(std::vector<std::uint32_t>& rows, std::uint32_t begin, std::uint32_t end) {
  rows.resize(end - begin);
  std::iota(rows.begin(), rows.end(), begin);
}

void used_rows(const StepMemory& m, Slot slot, std::uint32_t begin, std::uint32_t end,
               std::vector<std::uint32_t>& rows) {
  rows.clear();
  for (std::uint32_t node = begin; node < end; ++node) {
    const std::size_t at = kSlots * node + static_cast<std::size_t>(slot);
    if (m.plan->use_starts[at] != m.plan->use_starts[at + 1]) rows.push_back(node);
  }
}

void project_all(StepMemory& m, std::uint32_t begin, std::uint32_t end) {
  const std::size_t d = m.network.width();
  const std::size_t s = m.network.projections();
  matmul({end - begin, s, d}, by_rows(m.vector(begin), d), m.network.projection(), s, m.projection(begin), s);
}

HeadInput gate_hidden(StepMemory& m, BlockScratch& scratch, Gate kind, std::uint32_t begin, std::uint32_t end) {
  const LogicNetwork& net = m.network;
  const std::uint32_t* left = m.plan->left.data() + (begin - m.plan->first_gate());
  const std::uint32_t* right = m.plan->right.data() + (begin - m.plan->first_gate());
  const std::size_t rows = end - begin;
  const std::size_t s = net.projections();
  add_activate(net.options().gate.activation, rows, net.hidden(),
               {m.projections.data() + net.slot_offset(slot_of(kind, false)), s, left},
               {m.projections.data() + net.slot_offset(slot_of(kind, true)), s, right}, net.gate(kind).bias_value,
               scratch.hidden.data());
  const std::size_t d = net.width();
  return {rows, scratch.hidden.data(), {m.vectors.data(), d, left}, {m.vectors.data(), d, right}};
}

HeadInput negation_hidden(StepMemory& m, std::span<const std::uint32_t> operands, float* hidden) {
  const LogicNetwork& net = m.network;
  add_activate(net.options().negation.activation, operands.size(), net.negation_hidden(),
               {m.projections.data() + net.negation_offset(), net.projections(), operands.data()}, {nullptr, 0},
               net.negation().bias_value, hidden);
  return {operands.size(), hidden, {m.vectors.data(), net.width(), operands.data()}, {}};
}

void negate_rows(StepMemory& m, BlockScratch& scratch, std::span<const std::uint32_t> operands, float* output) {
  const HeadInput input = negation_hidden(m, operands, scratch.hidden.data());
  m.network.negation().head->forward(input, output, scratch.head.data());
}

}  // namespace linn
