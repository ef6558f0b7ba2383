// The Python module linn._core: the public interface of the library for the package beside it, which checks and
// converts what users give.
#include <linn/linn.h>

#include "binding.h"

namespace linn::python {
namespace {

// The classes of linn/errors.py, so that Python's users catch what Python defines.
void raise(const char* name, const std::exception& error, const Place& place) {
  try {
    const nb::object type = nb::module_::import_("linn._errors").attr(name);
    const nb::object instance = type(nb::str(error.what()));
    if (!place.file.empty()) instance.attr("file") = nb::str(place.file.c_str());
    if (place.line > 0) instance.attr("line") = place.line;
    if (place.column > 0) instance.attr("column") = place.column;
    PyErr_SetObject(type.ptr(), instance.ptr());
  } catch (nb::python_error& failed) {
    failed.restore();
  }
}

}  // namespace

void add_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const InputError& error) {
      raise("InputError", error, error.place());
    } catch (const Divergence& error) {
      raise("Divergence", error, {});
    } catch (const Failure& error) {
      raise("Failure", error, {});
    }
  });
}

}  // namespace linn::python

NB_MODULE(_core, module) {
  using namespace linn::python;
  module.attr("version") = linn::kVersion;
  module.attr("commit") = linn::kCommit;
  add_errors(module);
  add_asking(module);
  add_ids(module);
  add_learning(module);
  add_reasoner(module);
  add_recommender(module);
}
