// Columns of identifiers as numbers, in order of first occurrence: much of what reading a large table costs.
#include <bit>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "binding.h"

namespace linn::python {
namespace {

// Numbers of whole numbers, by open addressing.
class IntNumbers {
 public:
  IntNumbers() : slots_(std::size_t{1} << kFirstBits) {}

  std::uint32_t number(std::int64_t value) {
    Slot& slot = find(value);
    if (slot.number_plus_one > 0) return slot.number_plus_one - 1;
    values_.push_back(value);
    slot = {value, static_cast<std::uint32_t>(values_.size())};
    if (values_.size() * 2 > slots_.size()) grow();
    return static_cast<std::uint32_t>(values_.size() - 1);
  }

  // -1 for a value that is not there.
  std::int64_t find_number(std::int64_t value) const {
    return static_cast<std::int64_t>(const_cast<IntNumbers*>(this)->find(value).number_plus_one) - 1;
  }

  std::vector<std::int64_t> take_values() { return std::move(values_); }

 private:
  static constexpr int kFirstBits = 10;

  struct Slot {
    std::int64_t value = 0;
    std::uint32_t number_plus_one = 0;
  };

  Slot& find(std::int64_t value) {
    // Fibonacci hashing: the high bits of the product are well mixed.
    const std::uint64_t product = static_cast<std::uint64_t>(value) * 0x9E3779B97F4A7C15U;
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = product >> (64 - std::countr_zero(slots_.size()));
    while (slots_[at].number_plus_one > 0 && slots_[at].value != value) at = (at + 1) & mask;
    return slots_[at];
  }

  void grow() {
    slots_.assign(slots_.size() * 2, {});
    for (std::size_t i = 0; i < values_.size(); ++i) find(values_[i]) = {values_[i], static_cast<std::uint32_t>(i + 1)};
  }

  std::vector<Slot> slots_;
  std::vector<std::int64_t> values_;
};

// The numbers of the values, and each distinct value once.
std::pair<Array<std::uint32_t>, Array<std::int64_t>> encode_ints(const Column<std::int64_t>& column) {
  std::vector<std::uint32_t> codes(column.shape(0));
  IntNumbers numbers;
  {
    const nb::gil_scoped_release release;
    const std::span<const std::int64_t> values = view(column);
    for (std::size_t i = 0; i < values.size(); ++i) codes[i] = numbers.number(values[i]);
  }
  return {to_array(std::move(codes)), to_array(numbers.take_values())};
}

// The places of values among known ones, -1 where there is none.
Array<std::int64_t> find_ints(const Column<std::int64_t>& column, const Column<std::int64_t>& known) {
  std::vector<std::int64_t> found(column.shape(0));
  {
    const nb::gil_scoped_release release;
    IntNumbers numbers;
    for (const std::int64_t value : view(known)) numbers.number(value);
    const std::span<const std::int64_t> values = view(column);
    for (std::size_t i = 0; i < values.size(); ++i) found[i] = numbers.find_number(values[i]);
  }
  return to_array(std::move(found));
}

// The same for objects, which must all have the type of the first and be hashable; the third is the place of the first
// that is not so, -1 if there is none.
std::tuple<Array<std::uint32_t>, nb::list, std::int64_t> encode_objects(const nb::list& column) {
  std::vector<std::uint32_t> codes(column.size());
  nb::list distinct;
  const nb::dict numbers;
  const PyTypeObject* type = nullptr;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    PyObject* value = PyList_GetItem(column.ptr(), static_cast<Py_ssize_t>(i));
    if (value == nullptr) throw nb::python_error();
    if (type == nullptr) type = Py_TYPE(value);
    if (Py_TYPE(value) != type) return {to_array(std::move(codes)), distinct, static_cast<std::int64_t>(i)};
    PyObject* number = PyDict_GetItemWithError(numbers.ptr(), value);
    if (number != nullptr) {
      codes[i] = static_cast<std::uint32_t>(PyLong_AsUnsignedLong(number));
      continue;
    }
    if (PyErr_Occurred() != nullptr) {  // not hashable
      PyErr_Clear();
      return {to_array(std::move(codes)), distinct, static_cast<std::int64_t>(i)};
    }
    codes[i] = static_cast<std::uint32_t>(distinct.size());
    if (PyDict_SetItem(numbers.ptr(), value, nb::int_(codes[i]).ptr()) != 0) throw nb::python_error();
    distinct.append(nb::borrow(value));
  }
  return {to_array(std::move(codes)), distinct, -1};
}

// Histories as columns: lists of ids, or of (id, liked) pairs; `numbers` has the place of each id, which must be of
// this type, since ids of other types may be equal to it. Also the place of the first history and event that are not
// so, -1 if there are none.
struct Histories {
  std::vector<std::int64_t> starts = {0};
  std::vector<std::uint32_t> items;
  std::vector<std::uint8_t> liked;
};

// Whether it is a pair of an id and whether it is liked: no id is a tuple that ends in a boolean.
bool is_pair(PyObject* event) {
  if (!PyTuple_CheckExact(event) || PyTuple_GET_SIZE(event) != 2) return false;
  PyObject* second = PyTuple_GET_ITEM(event, 1);
  return PyBool_Check(second);
}

bool append_event(PyObject* event, const nb::dict& numbers, const PyTypeObject* type, Histories& histories) {
  bool liked = true;
  if (is_pair(event)) {
    liked = PyTuple_GET_ITEM(event, 1) == Py_True;
    event = PyTuple_GET_ITEM(event, 0);
  }
  if (Py_TYPE(event) != type) return false;
  PyObject* number = PyDict_GetItemWithError(numbers.ptr(), event);
  if (number == nullptr) {
    PyErr_Clear();  // what cannot be hashed is no id either
    return false;
  }
  histories.items.push_back(static_cast<std::uint32_t>(PyLong_AsUnsignedLong(number)));
  histories.liked.push_back(liked ? 1 : 0);
  return true;
}

std::tuple<Array<std::int64_t>, Array<std::uint32_t>, Array<std::uint8_t>, std::int64_t, std::int64_t> encode_histories(
    const nb::list& lists, const nb::dict& numbers, const nb::type_object& id_type) {
  const auto* type = reinterpret_cast<const PyTypeObject*>(id_type.ptr());
  Histories histories;
  std::int64_t bad_history = -1;
  std::int64_t bad_event = -1;
  for (std::size_t i = 0; i < lists.size() && bad_history < 0; ++i) {
    const nb::object list = nb::borrow(lists[i]);
    // A list or a tuple as it is, of others a list.
    const nb::object fast = nb::steal(PySequence_Fast(list.ptr(), "a history must be a sequence"));
    if (!fast.is_valid()) throw nb::python_error();
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(fast.ptr()); ++k) {
      const nb::object event = nb::borrow(PySequence_Fast_GET_ITEM(fast.ptr(), k));
      if (!append_event(event.ptr(), numbers, type, histories)) {
        bad_history = static_cast<std::int64_t>(i);
        bad_event = k;
        break;
      }
    }
    histories.starts.push_back(static_cast<std::int64_t>(histories.items.size()));
  }
  return {to_array(std::move(histories.starts)), to_array(std::move(histories.items)),
          to_array(std::move(histories.liked)), bad_history, bad_event};
}

}  // namespace

void add_ids(nb::module_& module) {
  module.def("encode_ints", &encode_ints);
  module.def("find_ints", &find_ints);
  module.def("encode_objects", &encode_objects);
  module.def("encode_histories", &encode_histories);
}

}  // namespace linn::python
