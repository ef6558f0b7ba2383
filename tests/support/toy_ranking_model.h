// A minimal trainable recommender: the score of an item is the dot product of its vector with the sum of the vectors of
// the history, negated for dislikes. Plain gradient descent, written for clarity.
#pragma once

#include <string>
#include <vector>

#include "linn/base/error.h"
#include "linn/model/safetensors.h"
#include "linn/recommend/protocol/ranking_loss.h"
#include "linn/recommend/protocol/ranking_model.h"
#include "linn/recommend/protocol/recommender_kind.h"

namespace linn {

class ToyRankingModel : public TrainableRankingModel {
 public:
  static constexpr std::size_t kWidth = 6;

  ToyRankingModel(std::size_t items, const EpochRankingOptions& options)
      : items_(items), options_(options), vectors_(items * kWidth, 0.0F) {}

  // Initial values are drawn here, so that a resumed training has to get them from its state.
  void start(Context& context, const PretrainingPlace& /*place*/) override {
    Random random = context.random(1);
    for (float& value : vectors_) value = static_cast<float>(0.3 * random.normal());
    ++starts;
  }

  double train_step(const RankingBatch& batch, Random& random, ThreadPool& /*threads*/) override {
    std::vector<float> scores(batch.items.size());
    std::vector<float> d_scores(scores.size());
    std::vector<std::vector<float>> sums;
    for (std::size_t g = 0; g < batch.queries.size(); ++g) {
      sums.push_back(sum_of(batch.queries[g]));
      for (float& value : sums.back())
        value *= random.chance(0.1) ? 0.0F : 1.0F;  // dropout, so that training depends on `random`
      for (std::size_t i = g * batch.group; i < (g + 1) * batch.group; ++i) scores[i] = dot(sums[g], batch.items[i]);
    }
    const double loss = ranking_loss({options_.loss, BprOn::kScore, batch.label_noise}, scores, batch.group, d_scores);
    const auto rate = static_cast<float>(options_.optimizer.learning_rate);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      for (std::size_t k = 0; k < kWidth; ++k) {
        vectors_[batch.items[i] * kWidth + k] -= rate * d_scores[i] * sums[i / batch.group][k];
      }
    }
    groups += batch.queries.size();
    return loss;
  }

  void end_epoch(ThreadPool& /*threads*/) override {}
  Metrics epoch_metrics() const override { return {{"size", {static_cast<double>(vectors_.size())}}}; }

  void score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each, std::span<float> scores,
             ThreadPool& threads) const override {
    threads.run(queries.size(), [&](std::size_t a, std::size_t) {
      const auto sum = sum_of(queries[a]);
      for (std::size_t i = a * each; i < (a + 1) * each; ++i) scores[i] = dot(sum, items[i]);
    });
  }
  std::size_t items() const override { return items_; }

  void add_values(SafetensorsWriter& out, const std::string& prefix) const override {
    out.add(prefix + "vectors", {items_, kWidth}, std::span(vectors_));
  }
  void add_state(SafetensorsWriter& out, const std::string& prefix) override { add_values(out, prefix); }
  void read_state(const SafetensorsFile& in, const std::string& prefix) override {
    in.copy(prefix + "vectors", {items_, kWidth}, std::span(vectors_));
  }

  std::size_t starts = 0;
  std::size_t groups = 0;

 private:
  std::vector<float> sum_of(const Query& query) const {
    std::vector<float> sum(kWidth, 0.0F);
    for (const Event& event : query.history) {
      for (std::size_t k = 0; k < kWidth; ++k) {
        sum[k] += (event.liked ? 1.0F : -1.0F) * vectors_[event.item * kWidth + k];
      }
    }
    return sum;
  }
  float dot(const std::vector<float>& sum, ItemId item) const {
    float result = 0.0F;
    for (std::size_t k = 0; k < kWidth; ++k) result += sum[k] * vectors_[item * kWidth + k];
    return result;
  }

  std::size_t items_;
  EpochRankingOptions options_;
  std::vector<float> vectors_;
};

// The complete definition of a kind.
struct ToyOptions : EpochRankingOptions {
  double temperature = 1.0;
};

class ToyKind : public RecommenderKindOf<ToyOptions> {
 public:
  std::string_view name() const override { return "toy"; }
  double cost() const override { return 1.0; }
  std::vector<std::string> search_ranges(Preset) const override { return {"learning_rate=0.01..0.1:log"}; }

  std::unique_ptr<TrainableRankingModel> make(const Settings& settings, const Histories& histories,
                                              Context&) const override {
    return std::make_unique<ToyRankingModel>(histories.items(), options_of<ToyOptions>(settings));
  }
  std::unique_ptr<RankingModel> load(const Settings& settings, const SafetensorsFile& in, const Catalogue& catalogue,
                                     const std::string& prefix) const override {
    auto model = std::make_unique<ToyRankingModel>(catalogue.items.size(), options_of<ToyOptions>(settings));
    model->read_state(in, prefix);
    return model;
  }

 protected:
  ToyOptions options(Preset preset, const DataSize&, std::size_t) const override {
    ToyOptions options;
    apply_preset(preset, options);
    options.loss = RankingLoss::kSoftmax;
    options.negatives = 4;
    options.batch = 32;
    options.patience = 1000;
    options.optimizer.learning_rate = 0.02;
    return options;
  }
  OptionTable<ToyOptions> table() const override {
    OptionTable<ToyOptions> table;
    table.number("temperature", "Of the toy", 0.1, 10.0, &ToyOptions::temperature);
    table.include<EpochRankingOptions>(epoch_ranking_option_table());
    return table;
  }
};

}  // namespace linn
