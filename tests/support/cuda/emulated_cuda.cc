// _longjmp between fibers is no return to an earlier frame, as the checked version takes it.
#undef _FORTIFY_SOURCE
#include <setjmp.h>
#include <ucontext.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "support/cuda/cublas_v2.h"
#include "support/cuda/cuda_runtime.h"

constinit thread_local dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace emulated_cuda {
namespace {

constexpr std::size_t kStack = std::size_t{128} << 10U;
constexpr unsigned kWarp = 32;

enum class State : std::uint8_t { kReady, kAtBarrier, kAtShuffle, kDone };

struct Fiber {
  std::unique_ptr<char[]> stack = std::make_unique<char[]>(kStack);
  ucontext_t start{};
  jmp_buf at;
  State state = State::kDone;
  bool started = false;
  double value = 0.0;  // offered to the warp
};

struct Machine {
  std::vector<std::unique_ptr<Fiber>> fibers;
  std::vector<float> shared;
  const std::function<void()>* thread = nullptr;
  unsigned current = 0;
  unsigned threads = 0;
  ucontext_t home{};
  jmp_buf scheduler;
};
thread_local Machine machine;

void set_thread(unsigned number) {
  machine.current = number;
  threadIdx = dim3(number % blockDim.x, number / blockDim.x % blockDim.y, number / (blockDim.x * blockDim.y));
}

void fiber_main() {
  (*machine.thread)();
  machine.fibers[machine.current]->state = State::kDone;
  _longjmp(machine.scheduler, 1);
}

void wait(State state) {
  Fiber& fiber = *machine.fibers[machine.current];
  fiber.state = state;
  if (_setjmp(fiber.at) == 0) _longjmp(machine.scheduler, 1);
}

void resume(unsigned number) {
  set_thread(number);
  Fiber& fiber = *machine.fibers[number];
  if (_setjmp(machine.scheduler) != 0) return;
  if (fiber.started) _longjmp(fiber.at, 1);
  fiber.started = true;
  getcontext(&fiber.start);
  fiber.start.uc_stack.ss_sp = fiber.stack.get();
  fiber.start.uc_stack.ss_size = kStack;
  fiber.start.uc_link = &machine.home;
  makecontext(&fiber.start, fiber_main, 0);
  setcontext(&fiber.start);
}

// Whether all threads in [begin, end) that have not ended are in this state, and there is one.
bool all_in(State state, unsigned begin, unsigned end) {
  bool any = false;
  for (unsigned i = begin; i < end; ++i) {
    if (machine.fibers[i]->state == State::kDone) continue;
    if (machine.fibers[i]->state != state) return false;
    any = true;
  }
  return any;
}

void release(unsigned begin, unsigned end) {
  for (unsigned i = begin; i < end; ++i) {
    if (machine.fibers[i]->state != State::kDone) machine.fibers[i]->state = State::kReady;
  }
}

void run_block(bool descending) {
  const unsigned threads = machine.threads;
  for (unsigned i = 0; i < threads; ++i) {
    machine.fibers[i]->state = State::kReady;
    machine.fibers[i]->started = false;
  }
  for (;;) {
    bool moved = false;
    for (unsigned i = 0; i < threads; ++i) {
      const unsigned number = descending ? threads - 1 - i : i;
      if (machine.fibers[number]->state != State::kReady) continue;
      resume(number);
      moved = true;
    }
    for (unsigned begin = 0; begin < threads; begin += kWarp) {
      const unsigned end = begin + kWarp < threads ? begin + kWarp : threads;
      if (!all_in(State::kAtShuffle, begin, end)) continue;
      release(begin, end);
      moved = true;
    }
    if (moved) continue;
    if (!all_in(State::kAtBarrier, 0, threads)) break;
    release(0, threads);
  }
  for (unsigned i = 0; i < threads; ++i) {
    if (machine.fibers[i]->state != State::kDone) throw std::logic_error("the threads of a block wait for ever");
  }
}

template <class T>
T shuffled(T value, int from_lane) {
  Fiber& own = *machine.fibers[machine.current];
  own.value = static_cast<double>(value);
  const unsigned from = machine.current / kWarp * kWarp + static_cast<unsigned>(from_lane);
  wait(State::kAtShuffle);
  if (from >= machine.threads || machine.fibers[from]->state == State::kDone) {
    throw std::logic_error("a shuffle reads a thread that has ended");
  }
  const double result = machine.fibers[from]->value;
  wait(State::kAtShuffle);
  return static_cast<T>(result);
}

thread_local std::size_t calls_left = 0;
thread_local cudaError_t next_error = cudaSuccess;

cudaError_t outcome() {
  if (next_error == cudaSuccess || calls_left-- > 0) return cudaSuccess;
  return std::exchange(next_error, cudaSuccess);
}

}  // namespace

void wait_for_block() { wait(State::kAtBarrier); }
float shuffle(float value, int from_lane) { return shuffled(value, from_lane); }
double shuffle(double value, int from_lane) { return shuffled(value, from_lane); }
float* dynamic_shared_memory() { return machine.shared.data(); }

void run_grid(dim3 grid, dim3 block, std::size_t shared_bytes, const std::function<void()>& thread) {
  machine.threads = block.x * block.y * block.z;
  while (machine.fibers.size() < machine.threads) machine.fibers.push_back(std::make_unique<Fiber>());
  machine.thread = &thread;
  blockDim = block;
  gridDim = grid;
  for (unsigned z = 0; z < grid.z; ++z) {
    for (unsigned y = 0; y < grid.y; ++y) {
      for (unsigned x = 0; x < grid.x; ++x) {
        machine.shared.assign(shared_bytes / sizeof(float) + 1, std::nanf(""));
        blockIdx = dim3(x, y, z);
        run_block((x + y + z) % 2 == 1);
      }
    }
  }
}

void fail_after(std::size_t calls, int error) {
  calls_left = calls;
  next_error = static_cast<cudaError_t>(error);
}

}  // namespace emulated_cuda

using emulated_cuda::outcome;

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInsufficientDriver:
      return "CUDA driver version is insufficient for CUDA runtime version";
    case cudaErrorNoDevice:
      return "no CUDA-capable device is detected";
    case cudaErrorInvalidDevice:
      return "invalid device ordinal";
    case cudaErrorLaunchFailure:
      return "unspecified launch failure";
  }
  return "unknown error";
}
cudaError_t cudaGetLastError() { return outcome(); }
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return outcome();
}
cudaError_t cudaSetDevice(int device) { return device == 0 ? outcome() : cudaErrorInvalidDevice; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  return outcome();
}
cudaError_t cudaMalloc(void** memory, std::size_t size) {
  if (const cudaError_t error = outcome(); error != cudaSuccess) return error;
  *memory = std::malloc(size + 1);
  std::memset(*memory, 0xFF, size);  // NaN
  return cudaSuccess;
}
cudaError_t cudaFree(void* memory) {
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** memory, std::size_t size, unsigned) { return cudaMalloc(memory, size); }
cudaError_t cudaFreeHost(void* memory) { return cudaFree(memory); }
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t size, cudaMemcpyKind, cudaStream_t) {
  if (size > 0) std::memcpy(to, from, size);
  return outcome();
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind, cudaStream_t) {
  for (std::size_t i = 0; i < height; ++i) {
    std::memcpy(static_cast<char*>(to) + i * to_pitch, static_cast<const char*>(from) + i * from_pitch, width);
  }
  return outcome();
}
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t size, cudaStream_t) {
  if (size > 0) std::memset(memory, value, size);
  return outcome();
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = nullptr;
  return outcome();
}
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return outcome(); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = nullptr;
  return outcome();
}
cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return outcome(); }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return outcome(); }

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  *handle = nullptr;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy(cublasHandle_t) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasSetStream(cublasHandle_t, cudaStream_t) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) { return CUBLAS_STATUS_SUCCESS; }
const char* cublasGetStatusString(cublasStatus_t) { return "an error of cuBLAS"; }
cublasStatus_t cublasSgemm(cublasHandle_t, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
                           const float* alpha, const float* a, int lda, const float* b, int ldb, const float* beta,
                           float* c, int ldc) {
  for (int col = 0; col < n; ++col) {
    for (int row = 0; row < m; ++row) {
      double sum = 0.0;
      for (int i = 0; i < k; ++i) {
        const float left = op_a == CUBLAS_OP_N ? a[row + i * lda] : a[i + row * lda];
        const float right = op_b == CUBLAS_OP_N ? b[i + col * ldb] : b[col + i * ldb];
        sum += static_cast<double>(left) * static_cast<double>(right);
      }
      float& out = c[row + static_cast<std::ptrdiff_t>(col) * ldc];
      out = static_cast<float>(static_cast<double>(*alpha) * sum) + (*beta == 0.0F ? 0.0F : *beta * out);
    }
  }
  return CUBLAS_STATUS_SUCCESS;
}
