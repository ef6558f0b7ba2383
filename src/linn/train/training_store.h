// Where a training keeps what it has come to: in a run folder, or in memory.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "linn/metrics/metric.h"
#include "linn/model/run_folder.h"
#include "linn/model/safetensors.h"
#include "linn/train/snapshot_epochs.h"

namespace linn {

// One epoch, as its line of metrics tells it.
struct EpochRecord {
  std::size_t epoch = 0;  // from 1
  double loss = 0.0;      // of the task, summed over the examples
  Metrics training;
  Metrics validation;  // empty: there is no validation data
  double seconds = 0.0;
};

class TrainingStore {
 public:
  virtual ~TrainingStore() = default;

  // What an earlier training has left to resume from.
  virtual std::optional<SafetensorsFile> checkpoint() const = 0;
  // Forgets the records of epochs after this one.
  virtual void keep_records(std::size_t epochs) = 0;

  virtual void append(const EpochRecord& record) = 0;
  virtual void save_model(SafetensorsWriter& out) = 0;
  virtual void save_snapshot(std::size_t epoch, SafetensorsWriter& out) = 0;
  virtual void save_checkpoint(SafetensorsWriter& out) = 0;

  // Called with every record that is appended, if set.
  std::function<void(const EpochRecord&)> listener;

  // For messages: where the best model is, such as "in runs/a"; empty in memory.
  virtual std::string place() const = 0;
};

// Every file appears whole or not at all, and each model carries the configuration of its run.
class FolderStore : public TrainingStore {
 public:
  // The folder must outlive the store.
  explicit FolderStore(RunFolder& folder) : folder_(folder) {}

  std::optional<SafetensorsFile> checkpoint() const override;
  void keep_records(std::size_t epochs) override { folder_.keep_metrics(epochs); }
  void append(const EpochRecord& record) override;
  void save_model(SafetensorsWriter& out) override;
  void save_snapshot(std::size_t epoch, SafetensorsWriter& out) override;
  void save_checkpoint(SafetensorsWriter& out) override;
  std::string place() const override { return "in " + folder_.path().string(); }

 private:
  RunFolder& folder_;
};

// The best model alone, as the bytes of its file. Nothing can be resumed from it.
class MemoryStore : public TrainingStore {
 public:
  std::optional<SafetensorsFile> checkpoint() const override { return std::nullopt; }
  void keep_records(std::size_t) override {}
  void append(const EpochRecord&) override {}
  void save_model(SafetensorsWriter& out) override { model_ = out.to_bytes(); }
  void save_snapshot(std::size_t, SafetensorsWriter&) override {}
  void save_checkpoint(SafetensorsWriter&) override {}
  std::string place() const override { return {}; }

  // After a training.
  SafetensorsFile model() const { return SafetensorsFile::parse(model_, "the trained model"); }

 private:
  std::string model_;
};

}  // namespace linn
