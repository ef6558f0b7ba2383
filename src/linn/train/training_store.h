// Stores the results of a training: in a run folder, or in memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "linn/base/process_group.h"
#include "linn/metrics/metric.h"
#include "linn/model/run_folder.h"
#include "linn/model/safetensors.h"
#include "linn/train/snapshot_epochs.h"

namespace linn {

// One line of the metrics file.
struct EpochRecord {
  std::size_t epoch = 0;  // from 1
  double loss = 0.0;      // the task's loss, summed over the examples
  Metrics training;
  Metrics validation;    // empty if there is no validation data
  double seconds = 0.0;  // of training, without validation
};

struct StartingPoint;

class TrainingStore {
 public:
  virtual ~TrainingStore() = default;

  // What a training without a checkpoint starts from, instead of random values; null: nothing.
  std::shared_ptr<const StartingPoint> start;

  // The state of the pretraining of a member of an ensemble, if it was saved; checkpoints replace it.
  virtual std::optional<SafetensorsFile> pretraining(std::size_t member) const = 0;
  virtual void save_pretraining(std::size_t member, SafetensorsWriter& out) = 0;

  // The checkpoint to resume from, if there is one.
  virtual std::optional<SafetensorsFile> checkpoint() const = 0;
  // Discards the records after the first `epochs`.
  virtual void keep_records(std::size_t epochs) = 0;

  virtual void append(const EpochRecord& record) = 0;
  virtual void save_model(SafetensorsWriter& out) = 0;
  virtual void save_snapshot(std::size_t epoch, SafetensorsWriter& out) = 0;
  virtual void save_checkpoint(SafetensorsWriter& out) = 0;

  // If set, called after each record is appended.
  std::function<void(const EpochRecord&)> listener;

  // The location of the best model for messages, such as "in runs/a"; empty in memory.
  virtual std::string location() const = 0;
};

// Writes all files atomically, and the configuration of the run into each model.
class FolderStore : public TrainingStore {
 public:
  // The folder must outlive the store. `config` replaces that of the run once the training knows where it continues:
  // a checkpoint that is refused leaves the run as it was.
  explicit FolderStore(RunFolder& folder, std::optional<std::string> config = {})
      : folder_(folder), config_(std::move(config)) {}

  std::optional<SafetensorsFile> pretraining(std::size_t member) const override;
  void save_pretraining(std::size_t member, SafetensorsWriter& out) override;
  std::optional<SafetensorsFile> checkpoint() const override;
  void keep_records(std::size_t epochs) override;
  void append(const EpochRecord& record) override;
  void save_model(SafetensorsWriter& out) override;
  void save_snapshot(std::size_t epoch, SafetensorsWriter& out) override;
  void save_checkpoint(SafetensorsWriter& out) override;
  std::string location() const override { return "in " + folder_.path().string(); }

 private:
  RunFolder& folder_;
  std::optional<std::string> config_;
};

// The store of several processes: what is read is read by the first one and sent to all, and it alone writes.
class SharedStore : public TrainingStore {
 public:
  // The folder and its store in the first process, null in all others.
  SharedStore(ProcessGroup& processes, const RunFolder* folder, FolderStore* own)
      : processes_(processes), folder_(folder), own_(own) {}

  std::optional<SafetensorsFile> pretraining(std::size_t member) const override;
  void save_pretraining(std::size_t member, SafetensorsWriter& out) override;
  std::optional<SafetensorsFile> checkpoint() const override;
  void keep_records(std::size_t epochs) override;
  void append(const EpochRecord& record) override;
  void save_model(SafetensorsWriter& out) override;
  void save_snapshot(std::size_t epoch, SafetensorsWriter& out) override;
  void save_checkpoint(SafetensorsWriter& out) override;
  std::string location() const override { return own_ == nullptr ? std::string() : own_->location(); }

 private:
  std::optional<SafetensorsFile> read(const std::function<std::filesystem::path(const RunFolder&)>& path) const;

  ProcessGroup& processes_;
  const RunFolder* folder_;
  FolderStore* own_;
};

// Keeps only the best model, as the bytes of its file. A training in memory cannot be resumed.
class MemoryStore : public TrainingStore {
 public:
  std::optional<SafetensorsFile> pretraining(std::size_t) const override { return std::nullopt; }
  void save_pretraining(std::size_t, SafetensorsWriter&) override {}
  std::optional<SafetensorsFile> checkpoint() const override { return std::nullopt; }
  void keep_records(std::size_t) override {}
  void append(const EpochRecord&) override {}
  void save_model(SafetensorsWriter& out) override { model_ = out.to_bytes(); }
  void save_snapshot(std::size_t, SafetensorsWriter&) override {}
  void save_checkpoint(SafetensorsWriter&) override {}
  std::string location() const override { return {}; }

  // Requires that save_model() was called.
  SafetensorsFile model() const { return SafetensorsFile::parse(model_, "the trained model"); }

 private:
  std::string model_;
};

}  // namespace linn
