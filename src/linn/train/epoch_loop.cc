#include "linn/train/epoch_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <vector>

#include "linn/base/error.h"

namespace linn {
namespace {

using Json = nlohmann::ordered_json;

// Better on validation: more right, or as many with a lower loss.
bool is_better(const EquationMetrics& a, const EquationMetrics& b) {
  if (a.accuracy != b.accuracy) return a.accuracy > b.accuracy;
  return a.log_loss < b.log_loss;
}

struct Epoch {
  std::size_t number = 0;  // from 1
  double loss = 0.0;
  EquationMetrics validation;
  double seconds = 0.0;
};

class EpochLoop {
 public:
  EpochLoop(EpochTrainer& trainer, const EpochLoopOptions& options, Random random, Context& context, RunFolder& folder)
      : trainer_(trainer), options_(options), random_(random), context_(context), folder_(folder) {}

  EquationTrainingReport run() {
    start();
    EquationTrainingReport report;
    while (epoch_ < options_.epochs && !out_of_patience()) {
      Epoch epoch;
      if (!train_epoch(epoch)) {
        report.interrupted = true;
        break;
      }
      finish_epoch(epoch);
    }
    report.epochs = epoch_;
    report.best_epoch = best_ ? best_->number : 0;
    report.seconds_per_epoch = epoch_ == 0 ? 0.0 : seconds_ / static_cast<double>(epoch_);
    return report;
  }

 private:
  // From the checkpoint, or from the beginning.
  void start() {
    if (std::filesystem::exists(folder_.checkpoint_path())) {
      const TrainingPosition position = trainer_.load_checkpoint(folder_.checkpoint_path());
      random_.set_state(position.random);
      epoch_ = position.epoch;
      seconds_ = position.seconds;
      if (position.best_epoch > 0) {
        best_.emplace();
        best_->number = position.best_epoch;
        best_->validation.accuracy = position.best_accuracy;
        best_->validation.log_loss = position.best_log_loss;
      }
      folder_.keep_metrics(epoch_);
      return;
    }
    folder_.keep_metrics(0);
    trainer_.initialize();
    // A run that is stopped in its first epoch has a model too.
    save_best();
    save_snapshot();
  }

  // False if it was asked to stop.
  bool train_epoch(Epoch& epoch) {
    trainer_.begin_epoch(epoch_);
    std::vector<std::uint32_t> order(trainer_.rows());
    std::iota(order.begin(), order.end(), 0U);
    random_.shuffle(std::span(order));

    const auto start = std::chrono::steady_clock::now();
    const std::size_t batches = (order.size() + options_.batch - 1) / options_.batch;
    for (std::size_t i = 0; i < batches; ++i) {
      const std::size_t begin = i * options_.batch;
      const std::size_t end = std::min(begin + options_.batch, order.size());
      const double loss = trainer_.train_batch(std::span(order).subspan(begin, end - begin), random_);
      if (!std::isfinite(loss)) fail_diverged();
      epoch.loss += loss;
      if (!context_.report({"training", epoch_ * batches + i + 1, options_.epochs * batches,
                            epoch.loss / static_cast<double>(end)})) {
        return false;
      }
    }
    trainer_.end_epoch();
    epoch.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    epoch.number = epoch_ + 1;
    return true;
  }

  [[noreturn]] void fail_diverged() const {
    throw Failure(fmt::format(
        "training diverged in epoch {}: the loss is no longer a number; the best model so far is kept in {} (a lower "
        "learning_rate or a clip_norm may help)",
        epoch_ + 1, folder_.path().string()));
  }

  void finish_epoch(Epoch& epoch) {
    epoch.validation = trainer_.evaluate();
    if (!std::isfinite(epoch.validation.rmse)) fail_diverged();
    ++epoch_;
    seconds_ += epoch.seconds;
    if (!best_ || is_better(epoch.validation, best_->validation)) {
      best_ = epoch;
      save_best();
    }
    save_snapshot();
    append_metrics(epoch);
    trainer_.save_checkpoint(
        {epoch_, best_->number, best_->validation.accuracy, best_->validation.log_loss, seconds_, random_.state()},
        folder_.checkpoint_path());
  }

  void append_metrics(const Epoch& epoch) {
    Json line = {{"epoch", epoch.number}, {"loss", epoch.loss}};
    line.update(Json::parse(trainer_.metrics()));
    line["validation"] = {{"accuracy", epoch.validation.accuracy},
                          {"rmse", epoch.validation.rmse},
                          {"log_loss", epoch.validation.log_loss}};
    line["seconds"] = epoch.seconds;
    folder_.append_metrics(line.dump());
  }

  bool out_of_patience() const { return best_ && epoch_ - best_->number >= options_.patience; }

  void save_best() { trainer_.save_model(folder_.model_path(), folder_.config()); }

  void save_snapshot() {
    if (options_.snapshots.contains(epoch_)) trainer_.save_model(folder_.snapshot_path(epoch_), folder_.config());
  }

  EpochTrainer& trainer_;
  const EpochLoopOptions& options_;
  Random random_;
  Context& context_;
  RunFolder& folder_;
  std::size_t epoch_ = 0;  // done
  std::optional<Epoch> best_;
  double seconds_ = 0.0;
};

}  // namespace

EquationTrainingReport train_epochs(EpochTrainer& trainer, const EpochLoopOptions& options, Random random,
                                    Context& context, RunFolder& folder) {
  return EpochLoop(trainer, options, random, context, folder).run();
}

}  // namespace linn
