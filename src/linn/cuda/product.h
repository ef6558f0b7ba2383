// Matrix products whose operands are computed as they are read and whose results are used as they are written, and sums
// of products over many rows. Sums are always taken in the same order, so a run has the same bits every time.
#pragma once

#include "linn/cuda/pass.h"

namespace linn::cuda {

inline constexpr u32 kProductThreads = 256;
inline constexpr u32 kTileColumns = 64;
inline constexpr u32 kTileInner = 32;

struct Size {
  u32 rows, columns, inner;
};

// store(row, column, Σ_k load(row, k, first) B[k][column]), or B[column][k] if transposed. `first` is true for one tile
// of columns alone, which may keep what it loads. A block computes kRows x 64 results, a thread kRows / 16 x 4.
template <u32 kRows, bool kTransposed, class Load, class Store>
__global__ void __launch_bounds__(kProductThreads)
    product_kernel(Size size, Load load, const float* b, u32 b_stride, Store store) {
  constexpr u32 kOwnRows = kRows / 16;
  constexpr u32 kLoadsOfA = kRows * kTileInner / kProductThreads;
  constexpr u32 kLoadsOfB = kTileColumns * kTileInner / kProductThreads;
  __shared__ float a_tile[kTileInner][kRows + 1];
  alignas(16) __shared__ float b_tile[kTileInner][kTileColumns + 4];

  const u32 thread = threadIdx.x;
  const u32 across = thread % 16;
  const u32 down = thread / 16;
  const u32 first_row = blockIdx.x * kRows;
  const u32 first_column = blockIdx.y * kTileColumns;
  const bool first = blockIdx.y == 0;
  float own_a[kLoadsOfA];
  float own_b[kLoadsOfB];
  float sum[kOwnRows][4] = {};

  const auto fetch = [&](u32 begin) {
    for (u32 i = 0; i < kLoadsOfA; ++i) {
      const u32 place = thread + i * kProductThreads;
      const u32 k = begin + place % kTileInner;
      const u32 row = first_row + place / kTileInner;
      own_a[i] = row < size.rows && k < size.inner ? load(row, k, first) : 0.0F;
    }
    for (u32 i = 0; i < kLoadsOfB; ++i) {
      const u32 place = thread + i * kProductThreads;
      const u32 k = begin + (kTransposed ? place % kTileInner : place / kTileColumns);
      const u32 column = first_column + (kTransposed ? place / kTileInner : place % kTileColumns);
      const bool inside = column < size.columns && k < size.inner;
      const std::size_t at = kTransposed ? std::size_t{column} * b_stride + k : std::size_t{k} * b_stride + column;
      own_b[i] = inside ? b[at] : 0.0F;
    }
  };

  fetch(0);
  for (u32 begin = 0; begin < size.inner; begin += kTileInner) {
    for (u32 i = 0; i < kLoadsOfA; ++i) {
      const u32 place = thread + i * kProductThreads;
      a_tile[place % kTileInner][place / kTileInner] = own_a[i];
    }
    for (u32 i = 0; i < kLoadsOfB; ++i) {
      const u32 place = thread + i * kProductThreads;
      if (kTransposed) {
        b_tile[place % kTileInner][place / kTileInner] = own_b[i];
      } else {
        b_tile[place / kTileColumns][place % kTileColumns] = own_b[i];
      }
    }
    __syncthreads();
    // The next tiles are on their way while these are multiplied.
    if (begin + kTileInner < size.inner) fetch(begin + kTileInner);
    for (u32 k = 0; k < kTileInner; ++k) {
      const float4 right = *reinterpret_cast<const float4*>(&b_tile[k][4 * across]);
      for (u32 i = 0; i < kOwnRows; ++i) {
        const float left = a_tile[k][down * kOwnRows + i];
        sum[i][0] = fmaf(left, right.x, sum[i][0]);
        sum[i][1] = fmaf(left, right.y, sum[i][1]);
        sum[i][2] = fmaf(left, right.z, sum[i][2]);
        sum[i][3] = fmaf(left, right.w, sum[i][3]);
      }
    }
    __syncthreads();
  }
  for (u32 i = 0; i < kOwnRows; ++i) {
    const u32 row = first_row + down * kOwnRows + i;
    for (u32 j = 0; j < 4; ++j) {
      const u32 column = first_column + 4 * across + j;
      if (row < size.rows && column < size.columns) store(row, column, sum[i][j]);
    }
  }
}

// Small tiles where large ones would leave most of the device idle.
template <bool kTransposed, class Load, class Store>
void product(const Stream& stream, Size size, const Load& load, const float* b, u32 b_stride, const Store& store) {
  constexpr u32 kEnoughBlocks = 128;
  const u32 across = blocks_of(size.columns, kTileColumns);
  if (blocks_of(size.rows, 64) * across >= kEnoughBlocks) {
    stream.launch(product_kernel<64, kTransposed, Load, Store>, dim3(blocks_of(size.rows, 64), across), kProductThreads,
                  0, size, load, b, b_stride, store);
  } else {
    stream.launch(product_kernel<16, kTransposed, Load, Store>, dim3(blocks_of(size.rows, 16), across), kProductThreads,
                  0, size, load, b, b_stride, store);
  }
}

// Plain rows, for a product's operand or result.
struct Rows {
  float* data;
  u32 stride;
  __device__ float operator()(u32 row, u32 k, bool) const { return data[std::size_t{row} * stride + k]; }
  __device__ void operator()(u32 row, u32 column, float value) const {
    data[std::size_t{row} * stride + column] = value;
  }
};

// Sums of xᵀ·dy over rows: gradients of weights, and with x = 1 those of biases. A sum may have several sources; their
// rows are cut into stretches, each stretch gives a part, and the parts are added in order.
struct SumSource {
  const float* x;     // null: 1
  const u32* x_rows;  // null: all rows in order
  const float* dy;
  const u32* dy_rows;
  u32 x_stride, dy_stride;
  u32 rows;
  u32 sum;
  u32 first_part;
  u32 first_block;  // of the grid
};
struct Sum {
  float* to;
  std::size_t parts_at;
  u32 stride, inputs, outputs;
  u32 parts;
  u32 first_block;
  bool accumulate;
};
inline constexpr u32 kMostSources = 32;
inline constexpr u32 kMostSums = 24;
inline constexpr u32 kPartRows = 256;
struct SumTable {
  u32 sources = 0, sums = 0;
  SumSource source[kMostSources];
  Sum sum[kMostSums];
};

__global__ void __launch_bounds__(kProductThreads) sum_parts_kernel(SumTable table, float* parts);
__global__ void __launch_bounds__(kProductThreads) add_parts_kernel(SumTable table, const float* parts);

class SumOfProducts {
 public:
  // Begins a sum: inputs x outputs, written to `to`, or added to it.
  void begin(float* to, u32 stride, u32 inputs, u32 outputs, bool accumulate);
  void add(u32 rows, const float* x, u32 x_stride, const float* dy, u32 dy_stride, const u32* x_rows = nullptr,
           const u32* dy_rows = nullptr);
  void run(const Stream& stream);

 private:
  SumTable table_;
  u32 blocks_ = 0;
  u32 add_blocks_ = 0;
  std::size_t parts_size_ = 0;
  Buffer<float> parts_;
};

}  // namespace linn::cuda
