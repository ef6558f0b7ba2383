// What the parts of the Python module linn._core share.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace linn::python {

namespace nb = nanobind;

// An array that the caller must have brought into this form: contiguous, of this type and of one dimension.
template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> view(const Column<T>& column) {
  return {column.data(), column.shape(0)};
}

template <class T>
using Array = nb::ndarray<nb::numpy, T>;

// A NumPy array that owns the values.
template <class T>
Array<T> to_array(std::vector<T> values, std::vector<std::size_t> shape) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* data = owned->data();
  const nb::capsule owner(owned.get(), [](void* pointer) noexcept { delete static_cast<std::vector<T>*>(pointer); });
  static_cast<void>(owned.release());
  return Array<T>(data, shape.size(), shape.data(), owner);
}

template <class T>
Array<T> to_array(std::vector<T> values) {
  const std::size_t size = values.size();
  return to_array(std::move(values), {size});
}

// Each adds its part to the module.
void add_asking(nb::module_& module);
void add_errors(nb::module_& module);
void add_ids(nb::module_& module);
void add_learning(nb::module_& module);
void add_reasoner(nb::module_& module);
void add_recommender(nb::module_& module);

}  // namespace linn::python
