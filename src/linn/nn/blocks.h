// Steps over a block of nodes that the forward pass, the laws and the backward pass share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linn/nn/step_memory.h"

namespace linn {

void fill_range(std::vector<std::uint32_t>& rows, std::uint32_t begin, std::uint32_t end);

// The nodes of [begin, end) that some gate uses in the slot.
void used_rows(const StepMemory& m, Slot slot, std::uint32_t begin, std::uint32_t end,
               std::vector<std::uint32_t>& rows);

// P = V projection, for nodes [begin, end).
void project_all(StepMemory& m, std::uint32_t begin, std::uint32_t end);

// The first layer of the gates [begin, end), in scratch.hidden, and their operands.
HeadInput gate_hidden(StepMemory& m, BlockScratch& scratch, Gate kind, std::uint32_t begin, std::uint32_t end);

// The first layer of NOT for nodes that are projected, in `hidden`.
HeadInput negation_hidden(StepMemory& m, std::span<const std::uint32_t> operands, float* hidden);

// output = NOT of the nodes, a row each.
void negate_rows(StepMemory& m, BlockScratch& scratch, std::span<const std::uint32_t> operands, float* output);

}  // namespace linn
