// Training epoch by epoch into a run folder, whatever is trained.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "linn/base/context.h"
#include "linn/metrics/equation_metrics.h"
#include "linn/model/checkpoint.h"
#include "linn/model/run_folder.h"
#include "linn/train/snapshot_epochs.h"

namespace linn {

struct EpochLoopOptions {
  std::size_t batch = 128;
  std::size_t epochs = 100;
  std::size_t patience = 100;  // epochs without a better one before training stops
  SnapshotEpochs snapshots;    // whose models are kept in the folder too, the best or not
};

struct TrainingReport {
  std::size_t best_epoch = 0;               // the one that was kept; 0: none was trained
  std::size_t epochs = 0;                   // trained so far, those before a resume included
  std::optional<double> seconds_per_epoch;  // training alone; none where nothing was trained
  bool interrupted = false;
};

// How good a model is after an epoch: more is better, or as much with a lower loss. A score or loss that is not a
// number says that training has diverged.
struct EpochScore {
  double score = 0.0;
  double loss = 0.0;
  std::string metrics = {};          // for the epoch's line, as JSON
  std::optional<double> shown = {};  // to people, where they would not know the score
};

// What the loop trains.
class EpochTask {
 public:
  virtual ~EpochTask() = default;

  // How many examples an epoch goes through.
  virtual std::size_t rows() const = 0;

  // Before the first epoch of a run that does not go on from a checkpoint.
  virtual void initialize() = 0;

  // `done`: how many epochs were trained before.
  virtual void begin_epoch(std::size_t done) = 0;
  // A step on these examples. Returns the loss of the task, summed over them; what is not finite says that training
  // has diverged.
  virtual double train_batch(std::span<const std::uint32_t> rows, Random& random) = 0;
  // Everything is up to date afterwards.
  virtual void end_epoch() = 0;

  // On the validation data.
  virtual EpochScore validate() = 0;
  // What else the epoch's line of metrics holds, as a JSON object.
  virtual std::string metrics() { return "{}"; }
  // What else is shown while training goes on, such as "laws 0.12".
  virtual std::string note() { return {}; }

  virtual void save_model(const std::filesystem::path& path, const std::string& config) = 0;
  virtual void save_checkpoint(const TrainingPosition& position, const std::filesystem::path& path) = 0;
  virtual TrainingPosition load_checkpoint(const std::filesystem::path& path) = 0;
};

// One that learns equations: the best epoch has the highest accuracy, unless it says otherwise.
class EpochTrainer : public EpochTask {
 public:
  // On the validation data or, if there is none, on the training data.
  virtual EquationMetrics evaluate() = 0;
  // By which the best epoch is chosen.
  virtual double score(const EquationMetrics& metrics) { return metrics.accuracy; }
  EpochScore validate() final;
};

// Goes on from the folder's checkpoint if it has one. After every epoch the folder holds the best model so far (by
// score, ties by the lower loss) and a line of metrics, and a checkpoint that is at most a second older. A listener of
// the context that asks to stop ends it at the next batch; what was done since the checkpoint is done again when it
// goes on, the best model is kept. Throws Failure when the loss is no longer finite. `random` shuffles the examples and
// is handed to every batch.
TrainingReport train_epochs(EpochTask& task, const EpochLoopOptions& options, Random random, Context& context,
                            RunFolder& folder);

}  // namespace linn
