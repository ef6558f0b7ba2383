// Memory, streams and launches, with errors as exceptions.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "linn/base/error.h"

namespace linn::cuda {

using u32 = std::uint32_t;

// A device that has failed fails for good, so a run goes on in a new process, from its last checkpoint.
inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  throw Failure(std::string("the CUDA device failed: ") + cudaGetErrorString(error) +
                (error == cudaErrorMemoryAllocation ? " (a smaller batch may help)" : ""));
}

inline void check(cublasStatus_t status) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Failure(std::string("cuBLAS failed: ") + cublasGetStatusString(status));
}

// Device memory that grows and stays.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) { reshape(size); }
  ~Buffer() { cudaFree(data_); }
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }

  // The contents are lost if it grows. Freeing waits for the work that uses the old memory.
  T* reshape(std::size_t size) {
    if (size > capacity_) {
      check(cudaFree(std::exchange(data_, nullptr)));
      capacity_ = 0;
      const std::size_t room = size + size / 4;
      check(cudaMalloc(reinterpret_cast<void**>(&data_), room * sizeof(T)));
      capacity_ = room;
    }
    size_ = size;
    return data_;
  }
  T* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t get() const { return stream_; }
  void wait() const { check(cudaStreamSynchronize(stream_)); }

  template <class T>
  void upload(T* to, const T* from, std::size_t count) const {
    if (count > 0) check(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyHostToDevice, stream_));
  }
  template <class T>
  void download(T* to, const T* from, std::size_t count) const {
    if (count > 0) check(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDeviceToHost, stream_));
  }
  template <class T>
  void clear(T* data, std::size_t count) const {
    if (count > 0) check(cudaMemsetAsync(data, 0, count * sizeof(T), stream_));
  }

  // An empty grid is no launch.
  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), dim3 grid, unsigned threads, std::size_t shared,
              Arguments&&... arguments) const {
    if (grid.x == 0 || grid.y == 0) return;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared;
    config.stream = stream_;
    check(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...));
  }

 private:
  cudaStream_t stream_ = nullptr;
};

// Host memory that the device reads in one copy, through a few slots in turn, so that the next batch can be written
// while the last one is still being read.
class Staging {
 public:
  Staging() = default;
  ~Staging() {
    for (Slot& slot : slots_) {
      if (slot.event != nullptr) cudaEventDestroy(slot.event);
      cudaFreeHost(slot.host);
    }
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  // Adds an array and returns where it will be on the device.
  template <class T>
  std::size_t add(std::span<const T> values) {
    const std::size_t at = size_;
    pieces_.push_back({values.data(), values.size() * sizeof(T), at});
    size_ += (values.size() * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    return at;
  }
  template <class T>
  std::size_t add(const std::vector<T>& values) {
    return add(std::span<const T>(values));
  }

  // Copies what was added.
  void send(const Stream& stream) {
    Slot& slot = slots_[next_++ % kSlotCount];
    if (slot.event == nullptr) {
      check(cudaEventCreateWithFlags(&slot.event, cudaEventDisableTiming));
    } else {
      check(cudaEventSynchronize(slot.event));
    }
    if (slot.capacity < size_) {
      check(cudaFreeHost(std::exchange(slot.host, nullptr)));
      slot.capacity = 0;
      check(cudaHostAlloc(reinterpret_cast<void**>(&slot.host), size_ + size_ / 4, cudaHostAllocDefault));
      slot.capacity = size_ + size_ / 4;
    }
    for (const Piece& piece : pieces_) {
      if (piece.size > 0) std::memcpy(slot.host + piece.at, piece.data, piece.size);
    }
    char* device = slot.device.reshape(size_);
    current_ = device;
    stream.upload<char>(device, slot.host, size_);
    check(cudaEventRecord(slot.event, stream.get()));
    pieces_.clear();
    size_ = 0;
  }
  // After send().
  template <class T>
  const T* at(std::size_t place) const {
    return reinterpret_cast<const T*>(current_ + place);
  }

 private:
  static constexpr std::size_t kSlotCount = 3;
  static constexpr std::size_t kAlignment = 64;
  struct Slot {
    char* host = nullptr;
    std::size_t capacity = 0;
    Buffer<char> device;
    cudaEvent_t event = nullptr;
  };
  struct Piece {
    const void* data;
    std::size_t size;
    std::size_t at;
  };
  Slot slots_[kSlotCount];
  std::size_t next_ = 0;
  std::vector<Piece> pieces_;
  std::size_t size_ = 0;
  const char* current_ = nullptr;
};

inline u32 blocks_of(std::size_t size, std::size_t block) { return static_cast<u32>((size + block - 1) / block); }

#ifdef LINN_EMULATED_CUDA
inline float* dynamic_shared_memory() { return ::emulated_cuda::dynamic_shared_memory(); }
#else
__device__ inline float* dynamic_shared_memory() {
  extern __shared__ float linn_dynamic_shared_memory[];
  return linn_dynamic_shared_memory;
}
#endif

}  // namespace linn::cuda
