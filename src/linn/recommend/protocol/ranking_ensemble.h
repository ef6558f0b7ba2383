// An ensemble of models of one kind: its scores, shares and clause truths are the means over its members.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "linn/recommend/protocol/ranking_model.h"

namespace linn {

// The prefix of the names of a member's tensors: "0." for the first.
inline std::string member_prefix(std::size_t member) { return std::to_string(member) + "."; }

class RankingEnsemble : public RankingModel, public Reasoning {
 public:
  // At least one member.
  explicit RankingEnsemble(std::vector<std::unique_ptr<RankingModel>> members);
  // Does not own its members, which must outlive it.
  explicit RankingEnsemble(std::vector<RankingModel*> members) : members_(std::move(members)) {}

  void score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each, std::span<float> scores,
             ThreadPool& threads) const override;
  void score_all(const Query& query, std::span<float> scores, ThreadPool& threads) const override;
  void score_all_of(std::span<const Query> queries, std::span<float> scores, ThreadPool& threads) const override;
  std::size_t items() const override { return members_[0]->items(); }
  void prepare_for_queries(ThreadPool& threads) override;
  void use_device(TrainingDevice* device) override;
  void add_values(SafetensorsWriter& out, const std::string& prefix) const override;

  // Non-null if the members reason.
  const Reasoning* reasoning() const override { return members_[0]->reasoning() != nullptr ? this : nullptr; }
  HistoryWindow window() const override { return first().window(); }
  bool has_vector(std::optional<UserId> user) const override { return first().has_vector(user); }
  std::vector<float> clause_truths(std::span<const Event> events, std::span<const ItemId> targets,
                                   ThreadPool& threads) const override;
  std::optional<ScoreShares> score_shares(const Query& query, std::span<const ItemId> targets,
                                          ThreadPool& threads) const override;
  const ItemCounts& counts() const override { return first().counts(); }
  const LogicNetwork& network() const override { return first().network(); }
  const EmbeddingTable& variables() const override { return first().variables(); }

 private:
  const Reasoning& first() const { return *members_[0]->reasoning(); }
  // Writes the mean over the members of what `fill` writes.
  void average(std::span<float> mean,
               const std::function<void(const RankingModel& member, std::span<float> values)>& fill) const;

  std::vector<std::unique_ptr<RankingModel>> own_;
  std::vector<RankingModel*> members_;
};

// Models that are trained on the same batches, side by side with one thread each, or in shards, one after the other
// with a thread for each shard; they differ in their initial values and dropout. Losses and metrics are means over the
// members.
class TrainableEnsemble : public TrainableRankingModel {
 public:
  explicit TrainableEnsemble(std::vector<std::unique_ptr<TrainableRankingModel>> members);

  void score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each, std::span<float> scores,
             ThreadPool& threads) const override {
    ensemble_.score(queries, items, each, scores, threads);
  }
  void score_all(const Query& query, std::span<float> scores, ThreadPool& threads) const override {
    ensemble_.score_all(query, scores, threads);
  }
  std::size_t items() const override { return ensemble_.items(); }
  const Reasoning* reasoning() const override { return ensemble_.reasoning(); }
  void add_values(SafetensorsWriter& out, const std::string& prefix) const override {
    ensemble_.add_values(out, prefix);
  }

  void start(Context& context, const PretrainingPlace& place) override;
  void use_shards(Shards& shards) override;
  double train_step(const RankingBatch& batch, Random& random, ThreadPool& threads) override;
  std::optional<HistoryWindow> training_window() const override { return members_[0]->training_window(); }
  double train_on_histories(const HistoryBatch& batch, Random& random, ThreadPool& threads) override;
  void end_epoch(ThreadPool& threads) override;
  bool has_late_loss() const override { return members_[0]->has_late_loss(); }
  double late_loss() const override;
  void swap_average(ThreadPool& threads) override;
  Metrics epoch_metrics() const override;
  void add_state(SafetensorsWriter& out, const std::string& prefix) override;
  void read_state(const SafetensorsFile& in, const std::string& prefix) override;

 private:
  // Trains every member with randomness of its own. Returns the mean of the losses.
  double train(const std::function<double(TrainableRankingModel& member, Random& random, ThreadPool& threads)>& step,
               Random& random, ThreadPool& threads);

  std::vector<std::unique_ptr<TrainableRankingModel>> members_;
  RankingEnsemble ensemble_;
  std::vector<std::unique_ptr<ThreadPool>> own_threads_;  // one thread per member
  std::vector<double> losses_;
  bool in_shards_ = false;
};

}  // namespace linn
