#include "linn/nn/module_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "linn/base/logistic.h"
#include "linn/kernels/matmul.h"
#include "linn/nn/activation.h"

namespace linn {
namespace {

// Rows that go through a module together, so that their memory stays in a core's own cache.
constexpr std::size_t kBlock = 96;

// The rows from `begin` on.
RowSource from_row(const RowSource& source, std::size_t begin) {
  if (source.index != nullptr) return {source.data, source.stride, source.index + begin};
  return {source.data + begin * source.stride, source.stride};
}

}  // namespace

ModuleRows::ModuleRows(const LogicNetwork& network, ThreadPool& pool)
    : network_(network), pool_(pool), false_(network.width()), scratch_(pool.threads()) {
  for (Scratch& scratch : scratch_) {
    const std::size_t hidden = network.widest_hidden();
    scratch.left.reshape(kBlock * width());
    scratch.right.reshape(kBlock * width());
    scratch.left_hidden.reshape(kBlock * hidden);
    scratch.right_hidden.reshape(kBlock * hidden);
    scratch.hidden.reshape(kBlock * hidden);
    scratch.own.reshape(
        std::max({network.gate(Gate::kAnd).head->scratch(kBlock), network.gate(Gate::kOr).head->scratch(kBlock),
                  network.negation().head->scratch(kBlock), network.law_similarity().scratch(kBlock)}));
  }
  negate(1, true_row(), false_.data());
}

template <class Work>
void ModuleRows::for_each_block(std::size_t rows, Work&& work) {
  pool_.run((rows + kBlock - 1) / kBlock, [&](std::size_t block, std::size_t thread) {
    const std::size_t begin = block * kBlock;
    work(scratch_[thread], begin, std::min(kBlock, rows - begin));
  });
}

// NOT(a) = head(f(N a + bias))
void ModuleRows::negate(std::size_t rows, const RowSource& a, float* out) {
  const std::size_t d = width();
  const std::size_t h = network_.negation_hidden();
  for_each_block(rows, [&](Scratch& scratch, std::size_t begin, std::size_t count) {
    copy_rows(count, d, from_row(a, begin), {scratch.left.data(), d});
    matmul({count, h, d}, by_rows(scratch.left.data(), d), network_.projection() + network_.negation_offset(),
           network_.projections(), scratch.left_hidden.data(), h);
    add_activate(network_.options().negation.activation, count, h, {scratch.left_hidden.data(), h}, {nullptr, 0},
                 network_.negation().bias_value, scratch.hidden.data());
    network_.negation().head->forward({count, scratch.hidden.data(), {scratch.left.data(), d}, {}}, out + begin * d,
                                      scratch.own.data());
  });
}

// AND(a, b) = head(f(L a + R b + bias)), OR likewise
void ModuleRows::gate(Gate gate, std::size_t rows, const RowSource& a, const RowSource& b, float* out) {
  const std::size_t d = width();
  const std::size_t h = network_.hidden(gate);
  const auto project = [&](std::size_t count, const float* operand, bool right, float* projected) {
    matmul({count, h, d}, by_rows(operand, d), network_.projection() + network_.slot_offset(slot_of(gate, right)),
           network_.projections(), projected, h);
  };
  for_each_block(rows, [&](Scratch& scratch, std::size_t begin, std::size_t count) {
    copy_rows(count, d, from_row(a, begin), {scratch.left.data(), d});
    copy_rows(count, d, from_row(b, begin), {scratch.right.data(), d});
    project(count, scratch.left.data(), false, scratch.left_hidden.data());
    project(count, scratch.right.data(), true, scratch.right_hidden.data());
    add_activate(network_.options().gate.activation, count, h, {scratch.left_hidden.data(), h},
                 {scratch.right_hidden.data(), h}, network_.gate(gate).bias_value, scratch.hidden.data());
    network_.gate(gate).head->forward(
        {count, scratch.hidden.data(), {scratch.left.data(), d}, {scratch.right.data(), d}}, out + begin * d,
        scratch.own.data());
  });
}

void ModuleRows::similarity(std::size_t rows, const RowSource& a, const RowSource& b, float* out) {
  for_each_block(rows, [&](Scratch& scratch, std::size_t begin, std::size_t count) {
    network_.law_similarity().score(count, from_row(a, begin), from_row(b, begin), out + begin, scratch.own.data());
    for (std::size_t i = begin; i < begin + count; ++i) out[i] = logistic(out[i]);
  });
}

}  // namespace linn
