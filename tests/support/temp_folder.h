// A folder of a test's own, gone with all that is in it when the test ends.
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <system_error>

namespace linn {

class TempFolder {
 public:
  TempFolder() {
    static std::atomic<unsigned> counter = 0;
    const std::string base = "linn-test-" + std::to_string(::getpid()) + "-";
    do {
      path_ = std::filesystem::temp_directory_path() / (base + std::to_string(counter++));
    } while (!std::filesystem::create_directory(path_));
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace linn
