// CUDA for machines without a GPU: as much of the runtime as src/linn/cuda uses, so that its kernels can be compiled by
// an ordinary compiler and tested anywhere. It shows what is wrong with a kernel, not how fast one is.
//
// The blocks of a grid run one after another, and the threads of a block as fibers, which change at __syncthreads() and
// shuffles alone. Half of the blocks run their threads in descending order, so that a missing barrier shows. New memory
// is filled with NaN. A stream runs everything at once.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <tuple>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __restrict__
#define __launch_bounds__(...)
// Blocks run one after another, so a variable of the block may be a static one of the thread that runs them.
#define __shared__ static thread_local

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
};
struct alignas(16) float4 {
  float x, y, z, w;
};

namespace emulated_cuda {

// All threads of a block, or of a warp, wait for each other.
void wait_for_block();
float shuffle(float value, int from_lane);
double shuffle(double value, int from_lane);
float* dynamic_shared_memory();

// Runs thread() for every thread of every block.
void run_grid(dim3 grid, dim3 block, std::size_t shared_bytes, const std::function<void()>& thread);

// The call after so many calls that can fail will fail with this error; for tests of what happens then.
void fail_after(std::size_t calls, int error);

}  // namespace emulated_cuda

extern constinit thread_local dim3 threadIdx, blockIdx, blockDim, gridDim;
#define LINN_EMULATED_CUDA 1

using std::max;
using std::min;

inline void __syncthreads() { ::emulated_cuda::wait_for_block(); }
template <class T>
T __shfl_xor_sync(unsigned, T value, int mask) {
  return ::emulated_cuda::shuffle(value, static_cast<int>(threadIdx.x % 32) ^ mask);
}

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInsufficientDriver = 35,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorLaunchFailure = 719,
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
inline constexpr unsigned cudaStreamNonBlocking = 1;
inline constexpr unsigned cudaEventDisableTiming = 2;
inline constexpr unsigned cudaHostAllocDefault = 0;

using cudaStream_t = struct EmulatedStream*;
using cudaEvent_t = struct EmulatedEvent*;

struct cudaDeviceProp {
  char name[256] = "an emulated device";
  int multiProcessorCount = 4;
  int major = 0, minor = 0;
  std::size_t sharedMemPerBlockOptin = 100 * 1024;
};
struct cudaLaunchAttribute;
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
  cudaLaunchAttribute* attrs = nullptr;
  unsigned numAttrs = 0;
};

const char* cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaMalloc(void** memory, std::size_t size);
cudaError_t cudaFree(void* memory);
cudaError_t cudaHostAlloc(void** memory, std::size_t size, unsigned flags);
cudaError_t cudaFreeHost(void* memory);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t size, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t size, cudaStream_t stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel*, cudaFuncAttribute, int) {
  return cudaSuccess;
}

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  const std::tuple<Parameters...> values(std::forward<Arguments>(arguments)...);
  ::emulated_cuda::run_grid(config->gridDim, config->blockDim, config->dynamicSmemBytes,
                            [&] { std::apply(kernel, values); });
  return cudaSuccess;
}
