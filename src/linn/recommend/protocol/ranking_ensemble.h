// Several models of one kind that differ in where they start and in what is dropped, trained together and asked as one:
// scores, and the truths behind them, are the means of theirs.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "linn/recommend/protocol/ranking_model.h"
#include "linn/recommend/protocol/recommend_options.h"

namespace linn {

class RankingEnsemble : public TrainableRankingModel, public Reasoning {
 public:
  // At least one member; all of the kind and with the options.
  RankingEnsemble(RecommenderKind kind, const RecommendOptions& options,
                  std::vector<std::unique_ptr<TrainableRankingModel>> members);

  void score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each, std::span<float> scores,
             ThreadPool& threads) const override;
  void score_all(const Query& query, std::span<float> scores, ThreadPool& threads) const override;
  std::size_t items() const override { return members_[0]->items(); }
  void expect_requests(ThreadPool& threads) override;

  // Where the members reason.
  const Reasoning* reasoning() const override { return members_[0]->reasoning() != nullptr ? this : nullptr; }
  HistoryWindow window() const override { return first().window(); }
  bool knows(std::optional<UserId> user) const override { return first().knows(user); }
  std::vector<float> clause_truths(std::span<const Event> events, std::span<const ItemId> targets,
                                   ThreadPool& threads) const override;
  const ItemCounts& counts() const override { return first().counts(); }
  const LogicNetwork& network() const override { return first().network(); }
  const EmbeddingTable& variables() const override { return first().variables(); }

  // All members see the same batches, a thread each. Losses and figures are means.
  void start(Context& context) override;
  double train_step(const RankingBatch& batch, Random& random, ThreadPool& threads) override;
  void end_epoch(ThreadPool& threads) override;
  void swap_average(ThreadPool& threads) override;
  std::vector<EpochFigure> epoch_figures() const override;

  // The tensors of member i have `i.` before their names.
  static std::string prefix_of(std::size_t member) { return std::to_string(member) + "."; }
  void save(const std::filesystem::path& path, const Catalogue& catalogue, const ModelNotes& notes) const override;
  void add_values(SafetensorsWriter& out, const std::string& prefix) const override;
  void add_state(SafetensorsWriter& out, const std::string& prefix) override;
  void read_state(const SafetensorsFile& in, const std::string& prefix) override;

 private:
  const Reasoning& first() const { return *members_[0]->reasoning(); }
  // The mean of what `fill` writes for each member.
  void average(std::span<float> mean,
               const std::function<void(const TrainableRankingModel& member, std::span<float> values)>& fill) const;

  RecommenderKind kind_;
  RecommendOptions options_;
  std::vector<std::unique_ptr<TrainableRankingModel>> members_;
  std::vector<std::unique_ptr<ThreadPool>> own_threads_;  // of one thread, for each member
  std::vector<double> losses_;
};

}  // namespace linn
