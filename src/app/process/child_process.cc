#include "app/process/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <thread>

#include "linn/base/error.h"

extern char** environ;

namespace linn::app {
namespace {

// Returns nothing if no child has ended and the flags say not to wait.
std::optional<EndedChild> wait_for(pid_t which, int flags) {
  constexpr int kSignalled = 128;  // as shells count
  int status = 0;
  pid_t ended = 0;
  do {
    ended = waitpid(which, &status, flags);
  } while (ended < 0 && errno == EINTR);
  if (ended < 0) throw Failure(fmt::format("cannot wait for a child process: {}", std::strerror(errno)));
  if (ended == 0) return std::nullopt;
  if (WIFSIGNALED(status)) return EndedChild{ended, kSignalled + WTERMSIG(status), true};
  return EndedChild{ended, WEXITSTATUS(status), false};
}

}  // namespace

std::filesystem::path this_program() { return "/proc/self/exe"; }

pid_t start_child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                  const std::filesystem::path& output, const std::filesystem::path& log) {
  std::vector<std::string> words = {program == this_program() ? "linn" : program.string()};  // as ps shows it
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC;
  constexpr mode_t kMode = 0666;
  posix_spawn_file_actions_addopen(&files, 1, output.c_str(), kFlags, kMode);
  if (log == output) {
    posix_spawn_file_actions_adddup2(&files, 1, 2);
  } else {
    posix_spawn_file_actions_addopen(&files, 2, log.c_str(), kFlags, kMode);
  }
  pid_t child = 0;
  const int error = posix_spawnp(&child, program.c_str(), &files, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw Failure(fmt::format("cannot start {}: {}", program.string(), std::strerror(error)));
  return child;
}

EndedChild wait_for_child(pid_t process) { return *wait_for(process, 0); }

std::optional<EndedChild> wait_for_any_child(std::chrono::milliseconds limit) {
  // waitpid has no timeout, so this polls.
  constexpr std::chrono::milliseconds kPause(20);
  const auto end = std::chrono::steady_clock::now() + limit;
  for (;;) {
    const std::optional<EndedChild> ended = wait_for(-1, WNOHANG);
    if (ended || std::chrono::steady_clock::now() >= end) return ended;
    std::this_thread::sleep_for(kPause);
  }
}

std::string first_complaint(std::string log) {
  log.resize(std::min(log.size(), log.find('\n')));
  constexpr std::string_view kProgram = "linn: ";
  return log.starts_with(kProgram) ? log.substr(kProgram.size()) : log;
}

void terminate_child(pid_t process) { kill(process, SIGTERM); }

}  // namespace linn::app
