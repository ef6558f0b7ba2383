#include "linn/base/lock_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "linn/base/error.h"

namespace linn {

LockAttempt try_lock(int descriptor) {
  int result = 0;
  do {
    result = ::flock(descriptor, LOCK_EX | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  if (result == 0) return LockAttempt::kTaken;
  return errno == EWOULDBLOCK ? LockAttempt::kHeldByOther : LockAttempt::kNotSupported;
}

std::optional<LockFile> LockFile::take(const std::filesystem::path& path, std::chrono::milliseconds patience,
                                       Shared shared) {
  constexpr std::chrono::milliseconds kPause(20);
  const int inherited = shared == Shared::kNo ? O_CLOEXEC : 0;
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | inherited, 0666);
  if (descriptor < 0) {
    throw Failure(fmt::format("{}: cannot be written: {}", path.string(), std::generic_category().message(errno)));
  }
  LockFile lock(descriptor);
  const auto end = std::chrono::steady_clock::now() + patience;
  while (try_lock(descriptor) == LockAttempt::kHeldByOther) {
    if (std::chrono::steady_clock::now() >= end) return std::nullopt;
    std::this_thread::sleep_for(kPause);
  }
  return lock;
}

LockFile::~LockFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

LockFile::LockFile(LockFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

LockFile& LockFile::operator=(LockFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

// A line of /proc/locks: "1: FLOCK  ADVISORY  WRITE 708 08:01:131 0 EOF", with the inode after the last colon of the
// sixth word.
bool is_lock_held(std::uint64_t inode) {
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, manner, mode, process, place;
    words >> number >> kind;
    if (kind == "->") continue;  // waits for the lock
    words >> manner >> mode >> process >> place;
    if (kind != "FLOCK") continue;
    const std::size_t colon = place.rfind(':');
    if (colon != std::string::npos && place.substr(colon + 1) == std::to_string(inode)) return true;
  }
  return false;
}

}  // namespace linn
