// What all forms of LINN as a recommender share: the modules, the vectors of items and users, their training state and
// their files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "linn/base/context.h"
#include "linn/nn/embedding.h"
#include "linn/nn/gradient_run.h"
#include "linn/nn/logic_network.h"
#include "linn/optim/averaging.h"
#include "linn/optim/optimizer.h"
#include "linn/recommend/linn/cold_items.h"
#include "linn/recommend/linn/linn_recommender_options.h"
#include "linn/recommend/protocol/likes.h"
#include "linn/recommend/protocol/ranking_model.h"
#include "linn/train/logic_step.h"

namespace linn {

class LinnModel : public TrainableRankingModel, public Reasoning {
 public:
  std::size_t items() const override { return counts_.likes.size(); }

  const Reasoning* reasoning() const override { return this; }
  HistoryWindow window() const override { return options_.window(); }
  bool has_vector(std::optional<UserId> user) const override { return user && *user < users_; }
  const ItemCounts& counts() const override { return counts_; }
  const LogicNetwork& network() const override { return network_; }
  const EmbeddingTable& variables() const override { return variables_; }

  const LinnRecommenderOptions& options() const { return options_; }

  // Pretrains the modules, if the options say so.
  void start(Context& context, const PretrainingPlace& place) override;
  void end_epoch(ThreadPool& threads) override;
  bool has_late_loss() const override { return device_ != nullptr; }
  double late_loss() const override { return late_loss_; }
  void use_device(TrainingDevice* device) override;
  void swap_average(ThreadPool& threads) override;
  // The laws, if they have a weight, and the length term: unweighted sums over the vectors of all batches.
  Metrics epoch_metrics() const override;

  void add_values(SafetensorsWriter& out, const std::string& prefix) const override;
  void add_state(SafetensorsWriter& out, const std::string& prefix) override;
  void read_state(const SafetensorsFile& in, const std::string& prefix) override;

 protected:
  // For training, with random initial values.
  LinnModel(const LinnRecommenderOptions& options, const Histories& histories, Context& context);
  // Loaded, for prediction only: has no optimizer. Throws InputError if a tensor is missing or has another shape.
  LinnModel(const LinnRecommenderOptions& options, const SafetensorsFile& in, const Catalogue& catalogue,
            const std::string& prefix);

  // Called when vectors or modules have changed other than by a step, and when an epoch has ended.
  virtual void values_changed() = 0;

  // The sums over the steps of an epoch on a device.
  virtual StepReport finish_steps() = 0;
  // The device of the training; null: the CPU.
  TrainingDevice* device() const { return device_; }
  // Where scores are computed; null: on the CPU.
  DeviceEvaluation* evaluation() const { return evaluation_.get(); }
  // The vectors of expressions, one row each.
  AlignedArray<float> vectors_of(const ExpressionBatch& batch, ThreadPool& threads) const;
  void values_have_changed();

  // The optimizer; throws Failure for a loaded model.
  Optimizer& optimizer() const;
  // The factor on the weight of the laws in the current epoch.
  float current_law_scale() const { return law_scale(options_, epochs_[0], options_.epochs); }
  void add_to_epoch(const RegularizerValues& values);
  std::size_t users() const { return users_; }

  LogicNetwork& mutable_network() { return network_; }
  EmbeddingTable& mutable_variables() { return variables_; }

 private:
  LinnModel(const LinnRecommenderOptions& options, std::size_t users, ItemCounts counts);
  void add_vectors(SafetensorsWriter& out, const std::string& prefix) const;
  void read_vectors(const SafetensorsFile& in, const std::string& prefix);

  LinnRecommenderOptions options_;
  std::size_t users_;  // with a vector
  ItemCounts counts_;
  LogicNetwork network_;
  EmbeddingTable variables_;  // items, then users

  std::unique_ptr<DeviceEvaluation> evaluation_;

  // Training.
  TrainingDevice* device_ = nullptr;
  double late_loss_ = 0.0;
  std::unique_ptr<Optimizer> optimizer_;  // null if loaded
  std::optional<WeightAverage> average_;
  std::optional<ColdItems> cold_items_;
  std::uint64_t epochs_[1] = {0};  // completed; an array because tensors are written from spans
  RegularizerValues sums_;         // over the epoch so far
  RegularizerValues last_sums_;    // over the last completed epoch
};

}  // namespace linn
