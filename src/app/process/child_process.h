// Other programs, and this one once more, run beside this process.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace linn::app {

// A path under which this process can start itself once more, whatever became of its file meanwhile.
std::filesystem::path this_program();

// Starts a program, found in the search path unless it is a path itself, with its output and its complaints in files
// that are made anew, or in one. Throws Failure if it cannot be started.
pid_t start_child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                  const std::filesystem::path& output, const std::filesystem::path& log);

struct EndedChild {
  pid_t process = 0;
  int status = 0;       // what it exited with; 128 and the signal's number if one ended it, as in a shell
  bool killed = false;  // by a signal
};

// Waits until some child has ended, of which there must be one. Nothing if none does within that time.
std::optional<EndedChild> wait_for_any_child(std::chrono::milliseconds longest);
// Waits for one of them.
EndedChild wait_for_child(pid_t process);

// What a child that is this program said first of what went wrong, without its name in front.
std::string first_complaint(std::string log);

// Asks it to end, with SIGTERM.
void terminate_child(pid_t process);

}  // namespace linn::app
