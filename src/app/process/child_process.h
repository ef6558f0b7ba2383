// Starting other programs, or this one again, and waiting for them.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace linn::app {

// A path that starts this program again, even if its file has been replaced.
std::filesystem::path this_program();

// Starts a program, found in the search path unless it is a path. Standard output and standard error are written to
// these files, which may be the same one. The program ends with this one, however this one ends. Throws Failure if the
// program cannot be started.
pid_t start_child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                  const std::filesystem::path& output, const std::filesystem::path& log);

struct EndedChild {
  pid_t process = 0;
  int status = 0;       // the exit status, or 128 plus the number of the signal that ended it, as in a shell
  bool killed = false;  // by a signal
};

// Waits for any child to end; returns nothing if none does within the limit. There must be a child.
std::optional<EndedChild> wait_for_any_child(std::chrono::milliseconds limit);
EndedChild wait_for_child(pid_t process);

// The first line of this program's error output, without the program's name.
std::string first_complaint(std::string log);

// Sends SIGTERM.
void terminate_child(pid_t process);

}  // namespace linn::app
