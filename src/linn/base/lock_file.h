// A lock between processes: held as long as the object lives, and released by the kernel however the process ends.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace linn {

class LockFile {
 public:
  enum class Shared { kNo, kWithChildren };  // a lock shared with child processes is held until the last of them ends

  // Waits at most `patience` for another holder; empty if it still has the lock then. Where the file system knows no
  // locks, the lock counts as taken: working without one is better than failing. Throws Failure if the file cannot be
  // written. The file stays: if it were removed, one process could lock it just before, and another could lock a new
  // file of the same name.
  static std::optional<LockFile> take(const std::filesystem::path& path,
                                      std::chrono::milliseconds patience = std::chrono::milliseconds(0),
                                      Shared shared = Shared::kNo);

  ~LockFile();
  LockFile(LockFile&& other) noexcept;
  LockFile& operator=(LockFile&& other) noexcept;

 private:
  explicit LockFile(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

enum class LockAttempt { kTaken, kHeldByOther, kNotSupported };
// Tries to lock an open file, which keeps the lock until its last descriptor is closed.
LockAttempt try_lock(int descriptor);

// Whether any process holds such a lock on the file with this number, without touching the file: who asked by trying
// would keep a training from starting. False where the system does not tell.
bool is_lock_held(std::uint64_t inode);

}  // namespace linn
