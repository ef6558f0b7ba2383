// Training epoch by epoch, whatever is trained.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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
  std::size_t best_epoch = 0;               // whose model was kept; 0: none was trained
  std::size_t epochs = 0;                   // trained in all, before a resume too
  std::optional<double> seconds_per_epoch;  // training alone; none where nothing was trained
  bool interrupted = false;
  std::vector<EpochRecord> records;  // of the epochs that this call trained
};

// How good a model is after an epoch: a higher score is better, and at the same score a lower loss. A score or loss that
// is not finite says that training has diverged.
struct EpochScore {
  double score = 0.0;
  double loss = 0.0;
  Metrics metrics = {};              // empty: there is no validation data
  std::optional<double> shown = {};  // to people, where they would not know the score
};

// What the loop trains.
class EpochTask {
 public:
  virtual ~EpochTask() = default;

  // How many examples an epoch goes through.
  virtual std::size_t rows() const = 0;

  // Before the first epoch of a run that is not resumed.
  virtual void initialize() = 0;

  // `done`: how many epochs were trained before.
  virtual void begin_epoch(std::size_t done) = 0;
  // A step on these examples. Returns the loss of the task, summed over them; a value that is not finite says that
  // training has diverged.
  virtual double train_batch(std::span<const std::uint32_t> rows, Random& random) = 0;
  // Everything is up to date afterwards.
  virtual void end_epoch() = 0;

  // On the validation data.
  virtual EpochScore validate() = 0;
  // What else the epoch's record holds.
  virtual Metrics metrics() { return {}; }
  // What else is shown while training goes on, such as "laws 0.12".
  virtual std::string note() { return {}; }

  // Calls `write` with the model in its file. The writer keeps views, so it has to write before the task goes on.
  using Write = std::function<void(SafetensorsWriter& out)>;
  virtual void save_model(const Write& write) = 0;
  virtual void save_checkpoint(const TrainingPosition& position, const Write& write) = 0;
  virtual TrainingPosition load_checkpoint(const SafetensorsFile& in) = 0;
};

// Resumes from the store's checkpoint if it has one. After every epoch the store has the best model so far (by score,
// ties by the lower loss) and a record, and a checkpoint that is at most a second older. A listener of the context that
// asks to stop ends training at the next batch: the best model is kept, and what was done since the checkpoint is done
// again after a resume. Throws Failure when the loss is no longer finite. `random` shuffles the examples and is handed
// to every batch.
TrainingReport train_epochs(EpochTask& task, const TrainingOptions& options, const SnapshotEpochs& snapshots,
                            Random random, Context& context, TrainingStore& store);

}  // namespace linn
