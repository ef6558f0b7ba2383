// Arrays aligned to a cache line, for the kernels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace linn {

inline constexpr std::size_t kCacheLine = 64;

// Bounds the memory of the arrays that this thread allocates during its lifetime, for building things from a file that
// anybody may have made. An array beyond the limit throws Exceeded before any memory is touched.
class ArrayLimit {
 public:
  class Exceeded : public std::bad_alloc {};

  explicit ArrayLimit(std::size_t bytes) : left_(bytes), outer_(std::exchange(current(), this)) {}
  ~ArrayLimit() { current() = outer_; }
  ArrayLimit(const ArrayLimit&) = delete;
  ArrayLimit& operator=(const ArrayLimit&) = delete;

  static void take(std::size_t bytes) {
    ArrayLimit* const limit = current();
    if (limit == nullptr) return;
    if (bytes > limit->left_) throw Exceeded();
    limit->left_ -= bytes;
  }
  static void give_back(std::size_t bytes) {
    if (ArrayLimit* const limit = current(); limit != nullptr) limit->left_ += bytes;
  }

 private:
  static ArrayLimit*& current() {
    thread_local ArrayLimit* limit = nullptr;
    return limit;
  }

  std::size_t left_;
  ArrayLimit* outer_;
};

// A block of trivially copyable values. Growing it discards the contents: it is working memory, not a container.
template <class T>
class AlignedArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  AlignedArray() = default;
  explicit AlignedArray(std::size_t size) : data_(allocate(size)), size_(size), capacity_(size) { fill(T{}); }
  AlignedArray(const AlignedArray& other) : AlignedArray(other.size_) { std::copy_n(other.data_, other.size_, data_); }
  AlignedArray(AlignedArray&& other) noexcept { swap(other); }
  AlignedArray& operator=(AlignedArray other) noexcept {
    swap(other);
    return *this;
  }
  ~AlignedArray() { release(); }

  // Sets the size; allocates only when it exceeds every earlier size. The contents are undefined.
  void reshape(std::size_t size) {
    if (size > capacity_) {
      release();
      data_ = allocate(size);
      capacity_ = size;
    }
    size_ = size;
  }

  void fill(T value) { std::fill_n(data_, size_, value); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  std::span<T> span() { return {data_, size_}; }
  std::span<const T> span() const { return {data_, size_}; }

 private:
  static T* allocate(std::size_t size) {
    if (size == 0) return nullptr;
    if (size > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_alloc();
    ArrayLimit::take(size * sizeof(T));
    return static_cast<T*>(::operator new (size * sizeof(T), std::align_val_t{kCacheLine}));
  }
  void release() {
    if (data_ != nullptr) {
      ::operator delete (data_, std::align_val_t{kCacheLine});
      ArrayLimit::give_back(capacity_ * sizeof(T));
    }
    data_ = nullptr;
    size_ = capacity_ = 0;
  }
  void swap(AlignedArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace linn
