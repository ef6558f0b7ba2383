// What kernels of one warp a row share.
#pragma once

#include "linn/cuda/functors.h"

namespace linn::cuda {

inline constexpr u32 kWarp = 32;
inline constexpr u32 kRowsPerBlock = 8;
inline constexpr u32 kRowThreads = kRowsPerBlock * kWarp;

__device__ inline u32 warp_row() { return blockIdx.x * kRowsPerBlock + threadIdx.x / kWarp; }
__device__ inline u32 lane() { return threadIdx.x % kWarp; }

// The sum over the lanes of a warp, in all of them; the same order in every run.
__device__ inline float warp_sum(float value) {
  for (int mask = 16; mask > 0; mask /= 2) value += __shfl_xor_sync(0xFFFFFFFFU, value, mask);
  return value;
}

__device__ inline float warp_dot(u32 size, const float* a, const float* b) {
  float sum = 0.0F;
  for (u32 i = lane(); i < size; i += kWarp) sum = fmaf(a[i], b[i], sum);
  return warp_sum(sum);
}

// Joins the values of a block's threads, a power of two, in the same order every time; the result in all of them.
template <class T, class Join>
__device__ T block_joined(T value, T* values, Join join) {
  values[threadIdx.x] = value;
  __syncthreads();
  for (u32 half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) values[threadIdx.x] = join(values[threadIdx.x], values[threadIdx.x + half]);
    __syncthreads();
  }
  const T result = values[0];
  __syncthreads();
  return result;
}
__device__ inline double block_total(double value, double* values) {
  return block_joined(value, values, [](double a, double b) { return a + b; });
}

__host__ __device__ inline float logistic(float x) { return 1.0F / (1.0F + expf(-x)); }

// The cosine of two rows, times alpha, and what its gradient takes: see similarity.cc.
struct Cosine {
  float score, cross, own_a, own_b;
  __device__ Cosine(const Shape& s, const float* a, const float* b) {
    constexpr float kLeastSquare = 1e-16F;
    const float square_a = fmaxf(warp_dot(s.width, a, a), kLeastSquare);
    const float square_b = fmaxf(warp_dot(s.width, b, b), kLeastSquare);
    const float norms = sqrtf(square_a) * sqrtf(square_b);
    const float cosine = warp_dot(s.width, a, b) / norms;
    score = s.alpha * cosine;
    cross = s.alpha / norms;  // da = d_score (cross b + own_a a), db = d_score (cross a + own_b b)
    own_a = -s.alpha * cosine / square_a;
    own_b = -s.alpha * cosine / square_b;
  }
};

template <class... Parameters, class... Arguments>
void launch_rows(const Stream& stream, void (*kernel)(Parameters...), std::size_t rows, Arguments&&... arguments) {
  stream.launch(kernel, dim3(blocks_of(rows, kRowsPerBlock)), kRowThreads, 0, std::forward<Arguments>(arguments)...);
}

}  // namespace linn::cuda
