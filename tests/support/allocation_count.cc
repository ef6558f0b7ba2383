#include "support/allocation_count.h"

#include <atomic>
#include <cstdlib>
#include <new>

// Replaces every form of new and delete for single objects: a form left to the library would get memory that was
// allocated here.
namespace {

std::atomic<std::size_t> allocations{0};
std::atomic<std::size_t> bytes{0};

void* allocate(std::size_t size) noexcept {
  ++allocations;
  bytes += size;
  return std::malloc(size == 0 ? 1 : size);
}

void* allocate(std::size_t size, std::align_val_t alignment) noexcept {
  ++allocations;
  bytes += size;
  const auto align = static_cast<std::size_t>(alignment);
  return std::aligned_alloc(align, (size + align) / align * align);
}

void* or_throw(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

namespace linn {
std::size_t allocation_count() { return allocations; }
std::size_t allocated_bytes() { return bytes; }
}  // namespace linn

void* operator new(std::size_t size) { return or_throw(allocate(size)); }
void* operator new(std::size_t size, std::align_val_t alignment) { return or_throw(allocate(size, alignment)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(size, alignment);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept { std::free(memory); }
