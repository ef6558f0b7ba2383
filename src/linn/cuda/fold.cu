#include <algorithm>

#include "linn/cuda/fold.h"
#include "linn/cuda/logic_pass.h"
#include "linn/cuda/row_kernels.h"

namespace linn::cuda {
namespace {

constexpr u32 kOr = 1;

// The sum over the threads of a block, in all of them. `sums` has one element per warp.
__device__ float block_sum(float value, float* sums) {
  value = warp_sum(value);
  if (lane() == 0) sums[threadIdx.x / kWarp] = value;
  __syncthreads();
  float total = 0.0F;
  for (u32 i = 0; i < blockDim.x / kWarp; ++i) total += sums[i];
  __syncthreads();
  return total;
}

// A matrix in shared memory if it is to be there, else where it is.
struct Matrix {
  const float* data;
  u32 stride;
};
__device__ Matrix loaded(bool shared, u32 rows, u32 columns, const float* from, u32 stride, float*& room) {
  if (!shared) return {from, stride};
  for (u32 i = threadIdx.x; i < rows * columns; i += blockDim.x) {
    room[i] = from[std::size_t{i / columns} * stride + i % columns];
  }
  const Matrix matrix = {room, columns};
  room += rows * columns;
  return matrix;
}

// Σ_i x[i] m[i][column], in four sums, so that an addition need not wait for the one before it.
__device__ inline float column_dot(u32 rows, const float* x, const Matrix& m, u32 column) {
  float sum[4] = {};
  u32 i = 0;
  for (; i + 4 <= rows; i += 4) {
    for (u32 j = 0; j < 4; ++j) sum[j] = fmaf(x[i + j], m.data[std::size_t{i + j} * m.stride + column], sum[j]);
  }
  for (; i < rows; ++i) sum[0] = fmaf(x[i], m.data[std::size_t{i} * m.stride + column], sum[0]);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

std::size_t small_arrays(const Shape& s) { return 2 * std::size_t{s.width} + s.columns[slot(kOr, false)] + kWarp; }

}  // namespace

// s' = x min(1, c / |x|),  x = s + f(L s + R e + bias) W; without s and the bound for the structure mlp.
__global__ void fold_kernel(Pass m, Chains chains) {
  const Shape& s = m.shape;
  const u32 d = s.width;
  const u32 h = s.columns[slot(kOr, false)];
  const bool residual = s.kind[kOr] == GateKind::kLeftResidual;
  float* state = dynamic_shared_memory();
  float* sum = state + d;
  float* hidden = sum + d;
  float* sums = hidden + h;
  float* room = sums + kWarp;
  const Matrix left =
      loaded(chains.shared_left, d, h, m.weights.projection + s.offset[slot(kOr, false)], s.projections, room);
  const Matrix out = loaded(chains.shared_out, h, d, m.weights.out[kOr], d, room);
  const float* bias = m.weights.bias[kOr];
  const float* out_bias = m.weights.out_bias[kOr];
  for (u32 i = threadIdx.x; i < d; i += blockDim.x) state[i] = m.vector(kFalse)[i];
  __syncthreads();
  for (u32 at = chains.starts[blockIdx.x]; at < chains.starts[blockIdx.x + 1]; ++at) {
    const u32 gate = chains.gates[at];
    const float* right = m.projection(m.plan.right[gate]) + s.offset[slot(kOr, true)];
    for (u32 j = threadIdx.x; j < h; j += blockDim.x) {
      const float x = right[j] + bias[j];
      hidden[j] = activated(s.gate_activation, column_dot(d, state, left, j) + x);
      m.hidden[std::size_t{gate} * s.gate_stride + j] = hidden[j];
    }
    __syncthreads();
    float square = 0.0F;
    for (u32 i = threadIdx.x; i < d; i += blockDim.x) {
      float x = column_dot(h, hidden, out, i);
      if (out_bias != nullptr) x += out_bias[i];
      if (residual) x += state[i];
      sum[i] = x;
      square = fmaf(x, x, square);
    }
    float shrink = 1.0F;
    if (residual) {
      square = block_sum(square, sums);
      if (square > s.bound * s.bound) shrink = s.bound / sqrtf(square);
      if (threadIdx.x == 0) m.shrink[gate] = shrink;
    }
    for (u32 i = threadIdx.x; i < d; i += blockDim.x) {
      state[i] = sum[i] * shrink;
      m.vector(m.plan.first_gate + gate)[i] = state[i];
    }
    __syncthreads();
  }
}

__global__ void fold_backward_kernel(Pass m, Chains chains) {
  const Shape& s = m.shape;
  const u32 d = s.width;
  const u32 h = s.columns[slot(kOr, false)];
  const bool residual = s.kind[kOr] == GateKind::kLeftResidual;
  float* carried = dynamic_shared_memory();  // the gradient of the state that comes from the later gates
  float* d_sum = carried + d;
  float* d_hidden = d_sum + d;
  float* sums = d_hidden + h;
  float* room = sums + kWarp;
  const Matrix left = loaded(chains.shared_left, h, d, chains.left_transposed, d, room);
  const Matrix out = loaded(chains.shared_out, d, h, chains.out_transposed, h, room);
  for (u32 i = threadIdx.x; i < d; i += blockDim.x) carried[i] = 0.0F;
  __syncthreads();
  for (u32 at = chains.starts[blockIdx.x + 1]; at-- > chains.starts[blockIdx.x];) {
    const u32 gate = chains.gates[at];
    const float* state = m.vector(m.plan.first_gate + gate);
    float* gradient = m.d_vector(m.plan.first_gate + gate);
    float along = 0.0F;
    for (u32 i = threadIdx.x; i < d; i += blockDim.x) {
      const float g = gradient[i] + carried[i];
      gradient[i] = g;
      d_sum[i] = g;
      along = fmaf(g, state[i], along);
    }
    if (residual) {
      const float shrink = m.shrink[gate];
      along = shrink < 1.0F ? block_sum(along, sums) / (s.bound * s.bound) : 0.0F;
      for (u32 i = threadIdx.x; i < d; i += blockDim.x) {
        d_sum[i] = shrink * (d_sum[i] - along * state[i]);
        m.d_sum[std::size_t{gate} * d + i] = d_sum[i];
      }
    }
    __syncthreads();
    for (u32 j = threadIdx.x; j < h; j += blockDim.x) {
      const float y = m.hidden[std::size_t{gate} * s.gate_stride + j];
      d_hidden[j] = column_dot(d, d_sum, out, j) * activation_slope(s.gate_activation, y);
      m.d_left[std::size_t{gate} * s.gate_stride + j] = d_hidden[j];
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < d; i += blockDim.x) {
      carried[i] = column_dot(h, d_hidden, left, i) + (residual ? d_sum[i] : 0.0F);
    }
    __syncthreads();
  }
}

__global__ void transpose_kernel(u32 rows, u32 columns, const float* from, u32 stride, float* to) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) to[i] = from[std::size_t{i % rows} * stride + i / rows];
}

u32 prepare_fold_kernels(u32 most_shared_memory) {
  // Other shared memory and the system take some of it.
  const u32 own = most_shared_memory > 2048 ? most_shared_memory - 2048 : 0;
  check(cudaFuncSetAttribute(fold_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(own)));
  check(cudaFuncSetAttribute(fold_backward_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(own)));
  return own;
}

namespace {

struct FoldLaunch {
  Chains chains;
  u32 threads;
  std::size_t shared;
};

FoldLaunch fold_launch(const Shape& s, const u32* starts, const u32* gates, u32 limit) {
  const std::size_t matrix = std::size_t{s.width} * s.columns[slot(kOr, false)] * sizeof(float);
  FoldLaunch launch = {{starts, gates, false, false, nullptr, nullptr}, 0, small_arrays(s) * sizeof(float)};
  for (bool* shared : {&launch.chains.shared_left, &launch.chains.shared_out}) {
    if (launch.shared + matrix > limit) continue;
    *shared = true;
    launch.shared += matrix;
  }
  const u32 widest = std::max(s.width, s.columns[slot(kOr, false)]);
  launch.threads = std::min<u32>(1024, (widest + kWarp - 1) / kWarp * kWarp);
  return launch;
}

}  // namespace

void LogicPass::fold() {
  const FoldLaunch launch = fold_launch(m_.shape, chain_starts_, chain_gates_, shared_limit_);
  stream_.launch(fold_kernel, dim3(chain_count_), launch.threads, launch.shared, m_, launch.chains);
}

void LogicPass::fold_backward() {
  const Shape& s = m_.shape;
  const u32 h = s.columns[slot(kOr, false)];
  FoldLaunch launch = fold_launch(s, chain_starts_, chain_gates_, shared_limit_);
  float* left = transposed_.data();
  float* out = left + std::size_t{s.width} * h;
  const dim3 grid(blocks_of(std::size_t{s.width} * h, 256));
  stream_.launch(transpose_kernel, grid, 256, 0, s.width, h, m_.weights.projection + s.offset[slot(kOr, false)],
                 s.projections, left);
  stream_.launch(transpose_kernel, grid, 256, 0, h, s.width, static_cast<const float*>(m_.weights.out[kOr]), s.width,
                 out);
  launch.chains.left_transposed = left;
  launch.chains.out_transposed = out;
  stream_.launch(fold_backward_kernel, dim3(chain_count_), launch.threads, launch.shared, m_, launch.chains);
}

}  // namespace linn::cuda
