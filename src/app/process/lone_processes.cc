// For builds without MPI.
#include "app/process/processes.h"
#include "linn/base/error.h"

namespace linn::app {

std::unique_ptr<Processes> join_processes(std::function<bool()>) {
  if (launched_processes() > 1) {
    throw InputError("this program was built without MPI, so it cannot be one of several processes");
  }
  return nullptr;
}

std::string message_passing() { return {}; }

}  // namespace linn::app
