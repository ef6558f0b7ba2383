#include "linn/data/data_folder.h"

#include <fmt/format.h>

#include <array>
#include <system_error>

#include "linn/base/error.h"

namespace linn {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kEndings = {".tsv", ".csv", ".tsv.gz", ".csv.gz"};

constexpr std::string_view kIncompleteName = ".linn-incomplete";

bool is_there(const fs::path& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  if (type == fs::file_type::not_found) return false;
  if (error) throw InputError(fmt::format("cannot be read: {}", error.message()), Place{path.string(), 0, 0});
  return true;
}

}  // namespace

bool is_incomplete(const fs::path& folder) { return is_there(folder / kIncompleteName); }

fs::path find_table(const fs::path& folder, std::initializer_list<std::string_view> names) {
  if (is_incomplete(folder)) {
    throw InputError("this data set is incomplete: the command that wrote it was cut off; run it again",
                     Place{folder.string(), 0, 0});
  }
  fs::path found;
  for (const std::string_view name : names) {
    for (const std::string_view ending : kEndings) {
      fs::path candidate = folder / fmt::format("{}{}", name, ending);
      if (!is_there(candidate)) continue;
      if (!found.empty()) {
        throw InputError(fmt::format("found both {} and {}; keep only one of them", found.filename().string(),
                                     candidate.filename().string()),
                         Place{folder.string(), 0, 0});
      }
      found = std::move(candidate);
    }
  }
  return found;
}

void check_room_for_tables(const fs::path& folder, std::initializer_list<std::string_view> names, bool overwrite,
                           std::string_view other_name) {
  const auto path_of = [&](std::string_view name, std::string_view ending) {
    return folder / fmt::format("{}{}", name, ending);
  };
  const auto refuse = [](const fs::path& path) {
    throw InputError(
        fmt::format("{} is in the way: with the new tables beside it the folder would be ambiguous", path.string()));
  };
  for (const std::string_view name : names) {
    for (const std::string_view ending : kEndings) {
      const fs::path path = path_of(name, ending);
      if (!is_there(path)) continue;
      if (ending != kEndings.front()) refuse(path);
      if (!overwrite) throw InputError(fmt::format("{} already exists; use force to overwrite it", path.string()));
    }
  }
  for (const std::string_view ending : kEndings) {
    if (!other_name.empty() && is_there(path_of(other_name, ending))) refuse(path_of(other_name, ending));
  }
}

FileSet::FileSet(fs::path folder) : folder_(std::move(folder)) { create_folder(folder_); }

FileWriter& FileSet::add(std::string_view name) { return files_.emplace_back(folder_ / name); }

void FileSet::commit() {
  for (FileWriter& file : files_) file.finish();  // reports a full disk before any file is renamed
  const fs::path marker = folder_ / kIncompleteName;
  write_file(marker, "");
  const auto remove = [](const fs::path& path) {
    std::error_code error;
    fs::remove(path, error);
    if (error) throw Failure(fmt::format("{}: cannot remove the file: {}", path.string(), error.message()));
  };
  for (FileWriter& file : files_) file.commit();
  for (const fs::path& path : removed_) remove(path);
  remove(marker);
}

}  // namespace linn
