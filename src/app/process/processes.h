// The processes that a launcher such as mpirun started together with this one.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "linn/base/process_group.h"

namespace linn::app {

class Processes : public ProcessGroup {
 public:
  // Called once the work is done, or has failed, with the exit status. Waits for the others, but not for long if it
  // failed. Returns whether this process is the one to say what failed.
  virtual bool leave(int status) = 0;
  // The last call, when all is said: ends the others if they did not leave, too.
  virtual void end(int status) = 0;
};

// Joins the processes of the launcher; null if there is none. `is_stopped`: whether this process was told to end.
// Throws InputError if there is a launcher that this build knows nothing of.
std::unique_ptr<Processes> join_processes(std::function<bool()> is_stopped);

// What lets processes work together in this build, such as "Open MPI 4.1.4"; empty: nothing.
std::string message_passing();

// What launchers tell each process: how many there are (0: there is no launcher), and which one it is.
std::size_t launched_processes();
std::size_t launched_rank();

}  // namespace linn::app
