#include "app/process/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <thread>

#include "linn/base/error.h"

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

// In the new process, between fork and exec, where only async-signal-safe functions may be called.
bool redirect(int descriptor, const char* path) {
  constexpr mode_t kMode = 0666;
  const int file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, kMode);
  return file >= 0 && ::dup2(file, descriptor) >= 0;
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

  std::array<int, 2> complaint = {};  // closed by a successful exec; otherwise it brings the error
  if (::pipe2(complaint.data(), O_CLOEXEC) != 0)
    throw Failure(fmt::format("cannot start {}: {}", words[0], std::strerror(errno)));
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    // A child must not outlive this process: it would go on writing to files that a later call takes for its own.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    if (redirect(1, output.c_str()) && (log == output ? ::dup2(1, 2) >= 0 : redirect(2, log.c_str()))) {
      ::execvp(program.c_str(), pointers.data());
    }
    const int error = errno;
    [[maybe_unused]] const ssize_t written = ::write(complaint[1], &error, sizeof error);
    ::_exit(1);
  }
  int error = child < 0 ? errno : 0;
  ::close(complaint[1]);
  while (child > 0 && ::read(complaint[0], &error, sizeof error) < 0 && errno == EINTR) {
  }
  ::close(complaint[0]);
  if (error == 0) return child;
  if (child > 0) wait_for_child(child);
  throw Failure(fmt::format("cannot start {}: {}", program.string(), std::strerror(error)));
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
