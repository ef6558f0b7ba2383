// Vectors of floats as the kernels use them, included once for each instruction set.
#if defined(LINN_KERNELS_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINN_KERNELS_LANES_INL_H_
#undef LINN_KERNELS_LANES_INL_H_
#else
#define LINN_KERNELS_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace linn::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using FloatVector = hn::Vec<Floats>;
inline constexpr std::size_t kLanes = hn::MaxLanes(Floats());

// p[0], ..., p[count-1], then zeros; reads nothing after them. 0 < count < the number of lanes.
template <class T>
HWY_INLINE hn::Vec<hn::ScalableTag<T>> load_first(const T* p, std::size_t count) {
  const hn::ScalableTag<T> d;
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN T lanes[hn::MaxLanes(d)] = {};
  std::memcpy(lanes, p, count * sizeof(T));
  return hn::Load(d, lanes);
#else
  return hn::MaskedLoad(hn::FirstN(d, count), d, p);
#endif
}

// Writes the first count lanes and nothing else. 0 < count < the number of lanes.
template <class T>
HWY_INLINE void store_first(hn::Vec<hn::ScalableTag<T>> v, T* p, std::size_t count) {
  const hn::ScalableTag<T> d;
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN T lanes[hn::MaxLanes(d)];
  hn::Store(v, d, lanes);
  std::memcpy(p, lanes, count * sizeof(T));
#else
  hn::BlendedStore(v, hn::FirstN(d, count), d, p);
#endif
}

// max(x, 0), but NaN stays NaN, so that a diverged training shows. What Max does with NaN differs between instruction
// sets.
template <class V>
HWY_INLINE V positive_part(V x) {
  return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(hn::DFromV<V>())), x);
}

// How a vector is loaded and stored: whole, or its first lanes at the end of an array.
struct Whole {
  HWY_INLINE FloatVector load(const float* p) const { return hn::LoadU(Floats(), p); }
  HWY_INLINE void store(FloatVector v, float* p) const { hn::StoreU(v, Floats(), p); }
};
struct First {
  std::size_t count;
  HWY_INLINE FloatVector load(const float* p) const { return load_first(p, count); }
  HWY_INLINE void store(FloatVector v, float* p) const { store_first(v, p, count); }
};

// Calls body(i, access) for vectors that begin at i = 0, kLanes, 2·kLanes, ... and cover all elements.
template <class Body>
HWY_INLINE void for_each_vector(std::size_t size, const Body& body) {
  std::size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) body(i, Whole());
  if (i < size) body(i, First{size - i});
}

// Row i of a RowSource or a RowTarget.
template <class Rows>
HWY_INLINE auto* row_of(const Rows& rows, std::size_t i) {
  return rows.data + (rows.index != nullptr ? rows.index[i] : i) * rows.stride;
}

}  // namespace linn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard per instruction set
