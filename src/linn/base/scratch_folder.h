// A temporary folder that is removed with its contents.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "linn/base/error.h"

namespace linn {

class ScratchFolder {
 public:
  // Throws Failure if the folder cannot be created.
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "linn-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw Failure("cannot create a temporary folder: " + name);
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace linn
