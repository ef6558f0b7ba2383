#include "linn/model/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <limits>
#include <system_error>
#include <utility>

#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/base/json.h"

namespace linn {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kConfigName = "config.json";
constexpr std::string_view kNextConfigName = "config.next.json";  // while a run is replaced
constexpr std::string_view kMetricsName = "metrics.jsonl";
constexpr std::string_view kModelName = "model.safetensors";
constexpr std::string_view kCheckpointName = "checkpoint.safetensors";
constexpr std::string_view kSnapshotsName = "snapshots";
constexpr std::string_view kPretrainingName = "pretraining";
constexpr std::string_view kLockName = "run.lock";

[[noreturn]] void refuse(const fs::path& path, std::string why) {
  throw InputError(std::move(why), Place{path.string(), 0, 0});
}

[[noreturn]] void fail(const fs::path& path, std::string_view what, int error) {
  throw Failure(fmt::format("{}: {}: {}", path.string(), what, std::generic_category().message(error)));
}

std::vector<fs::path> names_in(const fs::path& folder) {
  std::vector<fs::path> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    names.push_back(entry->path().filename());
  }
  if (error) fail(folder, "cannot be listed", error.value());
  return names;
}

// Whether the folder contains nothing but remnants of a run that never started.
bool is_effectively_empty(const fs::path& folder) {
  return std::ranges::all_of(names_in(folder), [](const fs::path& name) {
    return name == kLockName || name == kNextConfigName || is_temporary_name(name);
  });
}

void erase(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) fail(path, "cannot be removed", error.value());
}

// The valid lines at the start of the metrics, including their terminators.
std::vector<std::string_view> valid_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (true) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return lines;
    const std::string_view line = text.substr(0, end + 1);
    if (!line.starts_with('{') || parse_json(std::string(line)).is_discarded()) return lines;
    lines.push_back(line);
    text.remove_prefix(line.size());
  }
}

void create_own_folder(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_symlink(path, ignored)) refuse(path, "is a symbolic link, expected a folder of the run");
  create_folder(path);
}

std::string with_line_end(std::string_view text) { return std::string(text) + (text.ends_with('\n') ? "" : "\n"); }

std::string read_if_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) ? read_file(path) : std::string();
}

// A file descriptor that closes itself. A symbolic link is not followed.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags) : value_(::open(path.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, 0666)) {
    if (value_ < 0) fail(path, "cannot be written", errno);
  }
  ~Descriptor() { ::close(value_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int value() const { return value_; }

 private:
  int value_;
};

}  // namespace

fs::path RunFolder::config_path() const { return path_ / kConfigName; }
fs::path RunFolder::metrics_path() const { return path_ / kMetricsName; }
fs::path RunFolder::model_path() const { return path_ / kModelName; }
fs::path RunFolder::checkpoint_path() const { return path_ / kCheckpointName; }
fs::path RunFolder::snapshots_path() const { return path_ / kSnapshotsName; }

bool RunFolder::has_model() const { return fs::exists(model_path()) && !fs::exists(path_ / kNextConfigName); }

fs::path RunFolder::snapshot_file(std::size_t epoch) const {
  create_own_folder(snapshots_path());
  return snapshots_path() / fmt::format("epoch-{}.safetensors", epoch);
}

fs::path RunFolder::pretraining_file(std::size_t member) const {
  create_own_folder(path_ / kPretrainingName);
  return pretraining_path(member);
}

fs::path RunFolder::pretraining_path(std::size_t member) const {
  return path_ / kPretrainingName / fmt::format("{}.safetensors", member);
}

void RunFolder::remove_pretraining() const { erase(path_ / kPretrainingName); }

bool RunFolder::exists(const fs::path& path) {
  // A configuration alone could belong to any other program.
  std::error_code ignored;
  return fs::is_regular_file(path / kConfigName, ignored) &&
         std::ranges::any_of(std::array{kLockName, kMetricsName, kModelName, kCheckpointName},
                             [&](std::string_view name) { return fs::is_regular_file(path / name, ignored); });
}

void RunFolder::require_free(const fs::path& path, bool force) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status)) refuse(path, "is not a folder");
  if (exists(path)) {
    if (!force) refuse(path, "already contains a run; resume it, or use force to replace it");
  } else if (!is_effectively_empty(path)) {
    refuse(path, "contains other files but no run; expected a new or an empty folder");
  }
}

RunFolder RunFolder::create(const fs::path& path, std::string_view config, bool force) {
  create_folder(path);
  // Checked before anything is written, including the lock, and again once no other process can change the folder.
  require_free(path, force);
  RunFolder run(path);
  run.lock();
  require_free(path, force);
  run.remove_leftovers();
  // What is about to happen is written down first: whoever opens the folder after a kill can finish it.
  write_file(path / kNextConfigName, with_line_end(config), Links::kReplace);
  run.finish_replacement();
  return run;
}

// Makes the written-down configuration the folder's only content, if there is one.
void RunFolder::finish_replacement() {
  const fs::path next = path_ / kNextConfigName;
  if (!fs::exists(next)) return;
  for (const fs::path& old : {checkpoint_path(), metrics_path(), model_path(), snapshots_path()}) erase(old);
  remove_pretraining();
  write_file(config_path(), read_file(next), Links::kReplace);
  erase(next);
}

RunFolder RunFolder::resume(const fs::path& path) {
  RunFolder run = open(path);
  run.lock();
  run.remove_leftovers();
  run.finish_replacement();
  if (fs::exists(run.checkpoint_path())) run.remove_pretraining();
  run.keep_metrics(std::numeric_limits<std::size_t>::max());
  return run;
}

RunFolder RunFolder::open(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (!fs::exists(status)) refuse(path, "no such run folder");
  if (!fs::is_directory(status)) refuse(path, "is a file, expected a run folder");
  if (!exists(path)) refuse(path, "is not a run folder: it has no config.json with a model or metrics beside it");
  return RunFolder(path);
}

// A replacement that was cut off has decided already.
std::string RunFolder::config() const {
  const fs::path next = path_ / kNextConfigName;
  return read_file(fs::exists(next) ? next : config_path());
}

void RunFolder::replace_config(std::string_view config) {
  assert(lock_);
  write_file(config_path(), with_line_end(config), Links::kReplace);
}

std::vector<std::string> RunFolder::metrics() const {
  const std::string text = read_if_there(metrics_path());
  std::vector<std::string> lines;
  for (const std::string_view line : valid_lines(text)) lines.emplace_back(line.substr(0, line.size() - 1));
  return lines;
}

void RunFolder::append_metrics(std::string_view line) {
  assert(lock_);
  assert(line.starts_with('{') && line.find('\n') == std::string_view::npos);
  const std::string text = std::string(line) + '\n';
  const Descriptor file(metrics_path(), O_WRONLY | O_CREAT | O_APPEND);
  const off_t start = ::lseek(file.value(), 0, SEEK_END);
  // A single write, so that a kill does not tear the line; a short write means that the disk is full.
  ssize_t written = 0;
  do {
    written = ::write(file.value(), text.data(), text.size());
  } while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(text.size())) return;
  int error = written < 0 ? errno : ENOSPC;
  // A partial line would corrupt the next one.
  if (written > 0 && ::ftruncate(file.value(), start) != 0) error = errno;
  fail(metrics_path(), "cannot be written", error);
}

std::size_t RunFolder::keep_metrics(std::size_t epochs) {
  assert(lock_);
  const std::string text = read_if_there(metrics_path());
  const std::vector<std::string_view> lines = valid_lines(text);
  const std::size_t kept = std::min(epochs, lines.size());
  std::size_t size = 0;
  for (std::size_t i = 0; i < kept; ++i) size += lines[i].size();
  if (size == text.size()) return kept;
  const Descriptor file(metrics_path(), O_WRONLY);
  if (::ftruncate(file.value(), static_cast<off_t>(size)) != 0) fail(metrics_path(), "cannot be truncated", errno);
  return kept;
}

void RunFolder::lock() {
  lock_ = LockFile::take(path_ / kLockName);
  if (!lock_) throw Failure(fmt::format("{}: another process is training into this run folder", path_.string()));
}

// Checkpoints are large, and every kill could leave a partial one. The holder of the lock is the only writer.
void RunFolder::remove_leftovers() const {
  for (const fs::path& folder : {path_, snapshots_path(), path_ / kPretrainingName}) {
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored) || (folder != path_ && fs::is_symlink(folder, ignored))) continue;
    for (const fs::path& name : names_in(folder)) {
      if (is_temporary_name(name)) fs::remove(folder / name, ignored);
    }
  }
}

}  // namespace linn
