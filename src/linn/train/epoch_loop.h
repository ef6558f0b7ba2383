// Trains any EpochTask, epoch by epoch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "linn/base/context.h"
#include "linn/model/checkpoint.h"
#include "linn/train/snapshot_epochs.h"
#include "linn/train/training_options.h"
#include "linn/train/training_store.h"

namespace linn {

struct TrainingReport {
  std::size_t best_epoch = 0;               // the epoch whose model was kept; 0: the initial model
  std::size_t epochs = 0;                   // completed epochs, including those before a resume
  std::optional<double> seconds_per_epoch;  // without validation; nullopt if no epoch was completed
  bool interrupted = false;
  std::vector<EpochRecord> records;  // of the epochs completed by this call
};

// The quality of a model after an epoch: a higher score is better, ties by the lower loss. A non-finite score or loss
// means that training has diverged.
struct EpochScore {
  double score = 0.0;
  double loss = 0.0;
  Metrics metrics = {};              // empty if there is no validation data
  std::optional<double> shown = {};  // the value to display in place of the score
};

// A model in training, and its data.
class EpochTask {
 public:
  virtual ~EpochTask() = default;

  // The number of examples in an epoch.
  virtual std::size_t rows() const = 0;

  // The number of predictions that the loss of an example is summed over.
  virtual std::size_t targets(std::uint32_t row) const {
    static_cast<void>(row);
    return 1;
  }

  // The examples of the next epoch, in any order; by default all.
  virtual std::vector<std::uint32_t> epoch_rows(Random&) { return all_rows(); }

  // Called before the first epoch, unless the run is resumed. If the store has a starting point, its values will
  // replace the initial ones.
  virtual void initialize(TrainingStore& store) = 0;

  // `done`: the number of completed epochs.
  virtual void begin_epoch(std::size_t done) = 0;
  // One step on these examples. Returns the task's loss, summed over them; a non-finite value means that training has
  // diverged.
  virtual double train_batch(std::span<const std::uint32_t> rows, Random& random) = 0;
  // Afterwards all parameters are up to date.
  virtual void end_epoch() = 0;

  // On a device that only queues its steps, train_batch() returns 0, and after end_epoch() the loss of all batches is
  // here.
  virtual bool has_late_loss() const { return false; }
  virtual double late_loss() { return 0.0; }

  // Evaluates the model on the validation data.
  virtual EpochScore validate() = 0;
  // Further metrics for the record of the epoch.
  virtual Metrics metrics() { return {}; }
  // Text to display during the next epoch, such as "laws 0.12".
  virtual std::string note() { return {}; }

  // Calls `write` with a writer that holds the file's contents as views, which are valid during the call only.
  using Write = std::function<void(SafetensorsWriter& out)>;
  virtual void save_model(const Write& write) = 0;
  virtual void save_checkpoint(const TrainingPosition& position, const Write& write) = 0;
  virtual TrainingPosition load_checkpoint(const SafetensorsFile& in) = 0;

 protected:
  std::vector<std::uint32_t> all_rows() const {
    std::vector<std::uint32_t> all(rows());
    std::iota(all.begin(), all.end(), 0U);
    return all;
  }
};

// Resumes from the checkpoint of the store, if there is one. After every epoch the store has the best model so far, a
// record of the epoch, and a checkpoint that is at most a second old. Training stops at the next batch if the progress
// listener of the context returns false: the best model is kept, and a resumed run continues from the last checkpoint.
// Throws Failure if the loss becomes non-finite. `random` shuffles the examples and is passed to every batch.
TrainingReport train_epochs(EpochTask& task, const TrainingOptions& options, const SnapshotEpochs& snapshots,
                            Random random, Context& context, TrainingStore& store);

}  // namespace linn
