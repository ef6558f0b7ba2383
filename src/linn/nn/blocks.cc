#include "linn/nn/blocks.h"

#include <numeric>

#include "linn/nn/activation.h"

namespace linn {

void fill_range(std::vector<std::uint32_t>& rows, std::uint32_t begin, std::uint32_t end) {
  rows.resize(end - begin);
  std::iota(rows.begin(), rows.end(), begin);
}

void used_rows(const Plan& plan, Slot slot, std::uint32_t begin, std::uint32_t end, std::vector<std::uint32_t>& rows) {
  rows.clear();
  for (std::uint32_t node = begin; node < end; ++node) {
    const std::size_t at = kSlots * node + static_cast<std::size_t>(slot);
    if (plan.use_starts[at] != plan.use_starts[at + 1]) rows.push_back(node);
  }
}

HeadInput gate_hidden(const ForwardMemory& m, ForwardScratch& scratch, Gate kind, std::uint32_t begin,
                      std::uint32_t end) {
  const LogicNetwork& net = m.network;
  const std::uint32_t* left = m.plan->left.data() + (begin - m.plan->first_gate());
  const std::uint32_t* right = m.plan->right.data() + (begin - m.plan->first_gate());
  const std::size_t rows = end - begin;
  const std::size_t s = net.projections();
  add_activate(net.options().gate.activation, rows, net.hidden(kind),
               {m.projections.data() + net.slot_offset(slot_of(kind, false)), s, left},
               {m.projections.data() + net.slot_offset(slot_of(kind, true)), s, right}, net.gate(kind).bias_value,
               scratch.hidden.data());
  const std::size_t d = net.width();
  return {rows, scratch.hidden.data(), {m.vectors.data(), d, left}, {m.vectors.data(), d, right}};
}

HeadInput negation_hidden(const ForwardMemory& m, std::span<const std::uint32_t> operands, float* hidden) {
  const LogicNetwork& net = m.network;
  add_activate(net.options().negation.activation, operands.size(), net.negation_hidden(),
               {m.projections.data() + net.negation_offset(), net.projections(), operands.data()}, {nullptr, 0},
               net.negation().bias_value, hidden);
  return {operands.size(), hidden, {m.vectors.data(), net.width(), operands.data()}, {}};
}

}  // namespace linn
