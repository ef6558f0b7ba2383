#include "asking.h"

#include <mutex>
#include <vector>

namespace linn::python {
namespace {

std::mutex left_mutex;
std::vector<std::thread> left;

void wait_for_left() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(left_mutex);
    threads.swap(left);
  }
  const nb::gil_scoped_release release;
  for (std::thread& thread : threads) thread.join();
}

// In the child of a fork such a thread does not run, and would not end.
void forget_left() {
  for (std::thread& thread : left) thread.detach();
  left.clear();
}

}  // namespace

void leave(std::thread thread) {
  const std::lock_guard lock(left_mutex);
  left.push_back(std::move(thread));
}

void add_asking(nb::module_& module) {
  module.def("_wait_for_threads", &wait_for_left);
  module.def("_forget_threads", &forget_left);
  nb::module_::import_("atexit").attr("register")(module.attr("_wait_for_threads"));
  const nb::object os = nb::module_::import_("os");
  if (nb::hasattr(os, "register_at_fork")) {
    os.attr("register_at_fork")(nb::arg("after_in_child") = module.attr("_forget_threads"));
  }
}

}  // namespace linn::python
