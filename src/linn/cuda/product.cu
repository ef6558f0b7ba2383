#include <cassert>

#include "linn/cuda/product.h"

namespace linn::cuda {
namespace {

constexpr u32 kTile = 64;
constexpr u32 kStep = 16;

}  // namespace

// One tile of one stretch of rows.
__global__ void __launch_bounds__(kProductThreads) sum_parts_kernel(SumTable table, float* parts) {
  u32 number = table.sources - 1;
  while (table.source[number].first_block > blockIdx.x) --number;
  const SumSource& source = table.source[number];
  const Sum& sum = table.sum[source.sum];
  const u32 tiles_across = (sum.outputs + kTile - 1) / kTile;
  const u32 tiles = tiles_across * ((sum.inputs + kTile - 1) / kTile);
  const u32 block = blockIdx.x - source.first_block;
  const u32 part = block / tiles;
  const u32 first_input = block % tiles / tiles_across * kTile;
  const u32 first_output = block % tiles % tiles_across * kTile;
  const u32 end = min(source.rows, (part + 1) * kPartRows);

  alignas(16) __shared__ float x_tile[kStep][kTile];
  alignas(16) __shared__ float y_tile[kStep][kTile];
  const u32 thread = threadIdx.x;
  const u32 across = thread % 16;
  const u32 down = thread / 16;
  float total[4][4] = {};
  for (u32 begin = part * kPartRows; begin < end; begin += kStep) {
    for (u32 i = 0; i < kStep * kTile / kProductThreads; ++i) {
      const u32 place = thread + i * kProductThreads;
      const u32 row = begin + place / kTile;
      const u32 input = first_input + place % kTile;
      const u32 output = first_output + place % kTile;
      float x = 0.0F;
      float y = 0.0F;
      if (row < end && input < sum.inputs) {
        const std::size_t at = source.x_rows != nullptr ? source.x_rows[row] : row;
        x = source.x != nullptr ? source.x[at * source.x_stride + input] : 1.0F;
      }
      if (row < end && output < sum.outputs) {
        const std::size_t at = source.dy_rows != nullptr ? source.dy_rows[row] : row;
        y = source.dy[at * source.dy_stride + output];
      }
      x_tile[place / kTile][place % kTile] = x;
      y_tile[place / kTile][place % kTile] = y;
    }
    __syncthreads();
    for (u32 k = 0; k < kStep; ++k) {
      const float4 x = *reinterpret_cast<const float4*>(&x_tile[k][4 * down]);
      const float4 y = *reinterpret_cast<const float4*>(&y_tile[k][4 * across]);
      const float left[4] = {x.x, x.y, x.z, x.w};
      const float right[4] = {y.x, y.y, y.z, y.w};
      for (u32 i = 0; i < 4; ++i) {
        for (u32 j = 0; j < 4; ++j) total[i][j] = fmaf(left[i], right[j], total[i][j]);
      }
    }
    __syncthreads();
  }
  float* to = parts + sum.parts_at + std::size_t{source.first_part + part} * sum.inputs * sum.outputs;
  for (u32 i = 0; i < 4; ++i) {
    for (u32 j = 0; j < 4; ++j) {
      const u32 input = first_input + 4 * down + i;
      const u32 output = first_output + 4 * across + j;
      if (input < sum.inputs && output < sum.outputs) to[std::size_t{input} * sum.outputs + output] = total[i][j];
    }
  }
}

__global__ void __launch_bounds__(kProductThreads) add_parts_kernel(SumTable table, const float* parts) {
  u32 number = table.sums - 1;
  while (table.sum[number].first_block > blockIdx.x) --number;
  const Sum& sum = table.sum[number];
  const u32 size = sum.inputs * sum.outputs;
  const u32 element = (blockIdx.x - sum.first_block) * kProductThreads + threadIdx.x;
  if (element >= size) return;
  float total = 0.0F;
  for (u32 part = 0; part < sum.parts; ++part) total += parts[sum.parts_at + std::size_t{part} * size + element];
  float& to = sum.to[std::size_t{element / sum.outputs} * sum.stride + element % sum.outputs];
  to = sum.accumulate ? to + total : total;
}

void SumOfProducts::begin(float* to, u32 stride, u32 inputs, u32 outputs, bool accumulate) {
  assert(table_.sums < kMostSums);
  table_.sum[table_.sums++] = {to, parts_size_, stride, inputs, outputs, 0, add_blocks_, accumulate};
  add_blocks_ += blocks_of(std::size_t{inputs} * outputs, kProductThreads);
}

void SumOfProducts::add(u32 rows, const float* x, u32 x_stride, const float* dy, u32 dy_stride, const u32* x_rows,
                        const u32* dy_rows) {
  if (rows == 0) return;
  assert(table_.sources < kMostSources && table_.sums > 0);
  Sum& sum = table_.sum[table_.sums - 1];
  const u32 parts = blocks_of(rows, kPartRows);
  table_.source[table_.sources++] = {x,    x_rows,          dy,        dy_rows, x_stride, dy_stride,
                                     rows, table_.sums - 1, sum.parts, blocks_};
  blocks_ += parts * blocks_of(sum.inputs, kTile) * blocks_of(sum.outputs, kTile);
  sum.parts += parts;
  parts_size_ += std::size_t{parts} * sum.inputs * sum.outputs;
}

void SumOfProducts::run(const Stream& stream) {
  float* parts = parts_.reshape(parts_size_);
  stream.launch(sum_parts_kernel, dim3(blocks_), kProductThreads, 0, table_, parts);
  stream.launch(add_parts_kernel, dim3(add_blocks_), kProductThreads, 0, table_, static_cast<const float*>(parts));
  table_.sources = table_.sums = 0;
  blocks_ = add_blocks_ = 0;
  parts_size_ = 0;
}

}  // namespace linn::cuda
