// The folder of a training run: what it was told, how it went, the model, and what is needed to go on.
//
//   config.json             the configuration that was used
//   metrics.jsonl           a JSON object a line, an epoch a line
//   model.safetensors       the model that was best on validation data
//   checkpoint.safetensors  the state after the last epoch that was saved
//   snapshots/              models of other epochs, epoch-N.safetensors, if asked for
//   run.lock                held by the training that writes here
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linn {

class RunFolder {
 public:
  // Whether there is a run: a configuration and another of the files above.
  static bool exists(const std::filesystem::path& path);

  // Throws InputError where create() would for what is in the folder now.
  static void require_free(const std::filesystem::path& path, bool force);

  // Starts a new run, which this process alone may write to until the object is gone. The folder may be missing or
  // empty; an existing run is only replaced with `force`, which removes the files above and leaves others alone. A
  // folder with other things in it is never taken. Throws InputError for these, and Failure where another process
  // is training into the folder or the disk does not take it.
  static RunFolder create(const std::filesystem::path& path, std::string_view config, bool force);

  // Goes on with an existing run, for writing. A last line of the metrics that was torn when the training was
  // killed is cut off. Throws like create().
  static RunFolder resume(const std::filesystem::path& path);

  // An existing run for reading alone; training may go on in it meanwhile. Throws InputError if there is none.
  static RunFolder open(const std::filesystem::path& path);

  RunFolder(RunFolder&& other) noexcept;
  RunFolder& operator=(RunFolder&& other) noexcept;
  ~RunFolder();

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path config_path() const;
  std::filesystem::path metrics_path() const;
  std::filesystem::path model_path() const;
  std::filesystem::path checkpoint_path() const;
  std::filesystem::path snapshots_path() const;
  // The file of an epoch; makes the folder for it.
  std::filesystem::path snapshot_path(std::size_t epoch) const;

  // The text of the configuration.
  std::string config() const;
  // For a run that goes on otherwise than it was started: longer.
  void replace_config(std::string_view config);

  // The lines of the metrics, without their ends. A line counts with its end alone, so a torn last one does not,
  // nor does anything from the first line on that is not a JSON object, as a crashed machine may leave behind.
  std::vector<std::string> metrics() const;

  // Adds an epoch: a JSON object in one line. It is there for others when this returns.
  void append_metrics(std::string_view line);

  // Cuts the metrics back to so many epochs, for going on from there. Returns how many there are now, which are
  // fewer if there were fewer.
  std::size_t keep_metrics(std::size_t epochs);

 private:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}
  void lock();
  void remove_leftovers() const;

  std::filesystem::path path_;
  int lock_ = -1;  // a descriptor, where this may write
};

}  // namespace linn
