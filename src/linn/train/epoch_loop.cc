#include "linn/train/epoch_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "linn/base/error.h"
#include "linn/train/starting_point.h"

namespace linn {
namespace {

bool is_better(const EpochScore& a, const EpochScore& b) {
  if (a.score != b.score) return a.score > b.score;
  return a.loss < b.loss;
}

// The time between checkpoints, unless an epoch takes longer: how much work a killed run loses.
constexpr std::chrono::seconds kCheckpointInterval(1);

struct Epoch {
  std::size_t number = 0;  // from 1
  double loss = 0.0;
  std::size_t rows = 0;     // examples
  std::size_t targets = 0;  // that the loss is summed over
  EpochScore validation;
  double seconds = 0.0;
};

class EpochLoop {
 public:
  EpochLoop(EpochTask& task, const TrainingOptions& options, const SnapshotEpochs& snapshots, Random random,
            Context& context, TrainingStore& store)
      : task_(task), options_(options), snapshots_(snapshots), random_(random), context_(context), store_(store) {}

  TrainingReport run() {
    start();
    TrainingReport report;
    while (!is_over()) {
      Epoch epoch;
      if (!train_epoch(epoch)) {
        report.interrupted = true;
        break;
      }
      finish_epoch(epoch);
    }
    report.epochs = epoch_;
    report.best_epoch = best_ ? best_->number : 0;
    report.records = std::move(records_);
    if (epoch_ > 0) report.seconds_per_epoch = seconds_ / static_cast<double>(epoch_);
    return report;
  }

 private:
  // Continues from the checkpoint, or starts from the beginning.
  void start() {
    if (const std::optional<SafetensorsFile> checkpoint = store_.checkpoint()) {
      const TrainingPosition position = task_.load_checkpoint(*checkpoint);
      random_.set_state(position.random);
      epoch_ = position.epoch;
      seconds_ = position.seconds;
      if (position.best_epoch > 0) {
        best_.emplace();
        best_->number = position.best_epoch;
        best_->validation.score = position.best_score;
        best_->validation.loss = position.best_loss;
      }
      store_.keep_records(epoch_);
      return;
    }
    store_.keep_records(0);
    task_.initialize(store_);
    if (store_.start) start_from(*store_.start, task_);
    // So that a run that is stopped in its first epoch has a model.
    save_best();
    save_snapshot();
  }

  // Returns false if the listener stopped the training.
  bool train_epoch(Epoch& epoch) {
    task_.begin_epoch(epoch_);
    std::vector<std::uint32_t> order = task_.epoch_rows(random_);
    epoch.rows = order.size();
    random_.shuffle(std::span(order));

    const auto start = std::chrono::steady_clock::now();
    const std::size_t batches = (order.size() + options_.batch - 1) / options_.batch;
    for (std::size_t i = 0; i < batches; ++i) {
      const std::size_t begin = i * options_.batch;
      const std::size_t end = std::min(begin + options_.batch, order.size());
      const auto rows = std::span(order).subspan(begin, end - begin);
      const double loss = task_.train_batch(rows, random_);
      if (!std::isfinite(loss)) fail_diverged();
      epoch.loss += loss;
      for (const std::uint32_t row : rows) epoch.targets += task_.targets(row);
      const double loss_so_far = task_.has_late_loss() ? std::numeric_limits<double>::quiet_NaN()
                                                       : epoch.loss / static_cast<double>(epoch.targets);
      const bool stopped =
          !context_.report({"training", epoch_ * batches + i + 1, options_.epochs * batches, loss_so_far, note_});
      if (must_stop(stopped)) return false;
    }
    task_.end_epoch();
    if (task_.has_late_loss()) {
      epoch.loss += task_.late_loss();
      if (!std::isfinite(epoch.loss)) fail_diverged();
    }
    epoch.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    epoch.number = epoch_ + 1;
    return true;
  }

  // Several processes stop at the same step, once all know that one was asked to.
  bool must_stop(bool asked) {
    ProcessGroup& processes = context_.processes();
    if (processes.size() == 1) return asked;
    if (asked) processes.ask_to_stop();
    return processes.has_agreed_to_stop();
  }

  [[noreturn]] void fail_diverged() const {
    const std::string location = store_.location();
    const bool kept = best_ && !location.empty();
    throw Divergence(
        fmt::format("training diverged in epoch {}: the loss or a weight is not finite{} (a lower learning_rate or a "
                    "clip_norm may help)",
                    epoch_ + 1, kept ? "; the best model so far is " + location : ""));
  }

  void finish_epoch(Epoch& epoch) {
    epoch.validation = task_.validate();
    if (!std::isfinite(epoch.validation.score) || !std::isfinite(epoch.validation.loss)) fail_diverged();
    ++epoch_;
    seconds_ += epoch.seconds;
    const std::string note = task_.note();
    // Without validation data the last epoch counts as the best, and there is no figure to show.
    const std::string figure =
        epoch.validation.metrics.empty()
            ? ""
            : fmt::format("validation {:.4f}  ", epoch.validation.shown.value_or(epoch.validation.score));
    note_ = fmt::format("{}{}{}{:.2f} s per epoch", note, note.empty() ? "" : "  ", figure, epoch.seconds);
    if (!best_ || is_better(epoch.validation, best_->validation)) {
      save_best();
      best_ = epoch;
    }
    save_snapshot();
    append_record(epoch);
    if (is_over() || std::chrono::steady_clock::now() - checkpointed_ >= kCheckpointInterval) save_checkpoint();
  }

  void save_checkpoint() {
    TrainingPosition position;
    position.epoch = epoch_;
    position.best_epoch = best_->number;
    position.best_score = best_->validation.score;
    position.best_loss = best_->validation.loss;
    position.seconds = seconds_;
    position.random = random_.state();
    task_.save_checkpoint(position, [&](SafetensorsWriter& out) { store_.save_checkpoint(out); });
    checkpointed_ = std::chrono::steady_clock::now();
  }

  void append_record(const Epoch& epoch) {
    Metrics training = task_.metrics();
    if (epoch.targets != epoch.rows) {
      training.push_back({"loss_per_target", {epoch.loss / static_cast<double>(epoch.targets)}});
    }
    records_.push_back({epoch.number, epoch.loss, std::move(training), epoch.validation.metrics, epoch.seconds});
    store_.append(records_.back());
    if (store_.listener) store_.listener(records_.back());
  }

  bool is_over() const { return epoch_ >= options_.epochs || (best_ && epoch_ - best_->number >= options_.patience); }

  void save_best() {
    task_.save_model([&](SafetensorsWriter& out) {
      // Weights that no training or validation row has used lately may be infinite while the losses are not.
      if (!out.is_finite()) fail_diverged();
      store_.save_model(out);
    });
  }

  void save_snapshot() {
    if (!snapshots_.contains(epoch_)) return;
    task_.save_model([&](SafetensorsWriter& out) { store_.save_snapshot(epoch_, out); });
  }

  EpochTask& task_;
  const TrainingOptions& options_;
  const SnapshotEpochs& snapshots_;
  Random random_;
  Context& context_;
  TrainingStore& store_;
  std::vector<EpochRecord> records_;
  std::size_t epoch_ = 0;  // completed epochs
  std::optional<Epoch> best_;
  double seconds_ = 0.0;
  std::string note_;  // about the last epoch, for display
  std::chrono::steady_clock::time_point checkpointed_ = {};
};

}  // namespace

TrainingReport train_epochs(EpochTask& task, const TrainingOptions& options, const SnapshotEpochs& snapshots,
                            Random random, Context& context, TrainingStore& store) {
  return EpochLoop(task, options, snapshots, random, context, store).run();
}

}  // namespace linn
