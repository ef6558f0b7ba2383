// Whole chains of OR in one kernel: a block takes a chain and keeps its state, and the weights where they fit, in
// shared memory. Level by level, a history of 200 events would take hundreds of small launches.
#pragma once

#include "linn/cuda/functors.h"

namespace linn::cuda {

struct Chains {
  const u32* starts;
  const u32* gates;  // numbers of gates, chain by chain in order
  bool shared_left;  // whether each matrix is copied to shared memory
  bool shared_out;
  const float* left_transposed;  // backward: hidden x width
  const float* out_transposed;   // width x hidden
};

__global__ void fold_kernel(Pass m, Chains chains);
__global__ void fold_backward_kernel(Pass m, Chains chains);
__global__ void transpose_kernel(u32 rows, u32 columns, const float* from, u32 stride, float* to);

// Lets the kernels use all of a block's shared memory; returns how much they will.
u32 prepare_fold_kernels(u32 most_shared_memory);

}  // namespace linn::cuda
