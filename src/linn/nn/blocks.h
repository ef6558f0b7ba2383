// Steps over a block of nodes that the forward pass and the backward pass share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linn/nn/forward_memory.h"

namespace linn {

void fill_range(std::vector<std::uint32_t>& rows, std::uint32_t begin, std::uint32_t end);

// The nodes of [begin, end) that some gate uses in the slot.
void used_rows(const Plan& plan, Slot slot, std::uint32_t begin, std::uint32_t end, std::vector<std::uint32_t>& rows);

// The first layer of the gates [begin, end), in scratch.hidden, and their operands.
HeadInput gate_hidden(const ForwardMemory& m, ForwardScratch& scratch, Gate kind, std::uint32_t begin,
                      std::uint32_t end);

// The first layer of NOT for projected nodes, in `hidden`.
HeadInput negation_hidden(const ForwardMemory& m, std::span<const std::uint32_t> operands, float* hidden);

}  // namespace linn
