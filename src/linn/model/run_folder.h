// The folder of a training run: its configuration, metrics and model, and what resuming it requires.
//
//   config.json             the configuration that was used
//   metrics.jsonl           one JSON object per line and epoch
//   model.safetensors       the best model on validation data
//   checkpoint.safetensors  the state after the last saved epoch
//   pretraining/            the state of the pretraining, N.safetensors for member N, until the first checkpoint
//   snapshots/              models of other epochs, epoch-N.safetensors, if requested
//   run.lock                held by the training that writes to the folder
//   config.next.json        only while one run replaces another
//
// Symbolic links in the place of these files are never followed for writing: their targets are none of the run's.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linn/base/lock_file.h"

namespace linn {

class RunFolder {
 public:
  // Whether there is a run: a configuration and at least one other of the files above.
  static bool exists(const std::filesystem::path& path);

  // Throws InputError if create() would, given the current contents of the folder.
  static void require_free(const std::filesystem::path& path, bool force);

  // Starts a new run, to which only this process may write during the lifetime of the object. The folder may be missing
  // or empty; an existing run is replaced only with `force`, which removes the files above and keeps all others. A
  // folder with other contents is rejected. Throws InputError in these cases, and Failure if another process is
  // training into the folder or the disk cannot be written.
  static RunFolder create(const std::filesystem::path& path, std::string_view config, bool force);

  // Opens an existing run for writing. A last line of the metrics that was torn when the training was killed is
  // removed. Throws like create().
  static RunFolder resume(const std::filesystem::path& path);

  // Opens an existing run for reading only; training may continue in it meanwhile. Throws InputError if there is none.
  static RunFolder open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path config_path() const;
  std::filesystem::path metrics_path() const;
  std::filesystem::path model_path() const;
  // Whether the model is there and belongs to the configuration: while a run is replaced there may be the old one.
  bool has_model() const;
  std::filesystem::path checkpoint_path() const;
  std::filesystem::path snapshots_path() const;
  std::filesystem::path pretraining_path(std::size_t member) const;
  void remove_pretraining() const;
  // Files to write, in folders that are created unless they are there. Throw InputError if such a folder is a link.
  std::filesystem::path pretraining_file(std::size_t member) const;
  std::filesystem::path snapshot_file(std::size_t epoch) const;

  // The text of the configuration.
  std::string config() const;
  // For a run that is resumed with different settings, such as more epochs.
  void replace_config(std::string_view config);

  // The lines of the metrics. A line without its terminator is torn and does not count, nor does anything from the
  // first line that is not a JSON object, which a crash may leave behind.
  std::vector<std::string> metrics() const;

  // Appends an epoch: a JSON object on one line. It is visible to readers when this returns.
  void append_metrics(std::string_view line);

  // Truncates the metrics to this many epochs, for resuming from there. Returns the number of epochs left, which is
  // smaller if there were fewer.
  std::size_t keep_metrics(std::size_t epochs);

 private:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}
  void lock();
  void remove_leftovers() const;
  void finish_replacement();

  std::filesystem::path path_;
  std::optional<LockFile> lock_;  // if this object may write
};

}  // namespace linn
