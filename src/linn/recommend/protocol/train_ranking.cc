#include "linn/recommend/protocol/train_ranking.h"

#include <fmt/format.h>

#include <cassert>
#include <cmath>

#include "linn/recommend/protocol/candidates.h"
#include "linn/recommend/protocol/evaluate_ranking.h"
#include "linn/recommend/protocol/label_noise.h"
#include "linn/recommend/protocol/negative_sampler.h"

namespace linn {
namespace {

// Streams of the context's randomness; models use lower ones.
enum Stream : std::uint64_t { kTraining = 16 };

// Metadata of a checkpoint: the kind of its model.
constexpr const char* kStateKey = "state_of";

// During its lifetime the model has its averaged weights.
class WithAverage {
 public:
  WithAverage(TrainableRankingModel& model, ThreadPool& threads) : model_(model), threads_(threads) {
    model_.swap_average(threads_);
  }
  ~WithAverage() { model_.swap_average(threads_); }
  WithAverage(const WithAverage&) = delete;
  WithAverage& operator=(const WithAverage&) = delete;

 private:
  TrainableRankingModel& model_;
  ThreadPool& threads_;
};

class RankingTask : public EpochTask {
 public:
  RankingTask(TrainableRankingModel& model, const RecommenderDescription& description,
              const EpochRankingOptions& options, const Histories& histories, Context& context)
      : model_(model),
        description_(description),
        options_(options),
        histories_(histories),
        context_(context),
        examples_(training_examples(histories)),
        sampler_(histories),
        validation_(histories, Split::kValidation, {100, options.candidate_seed}) {
    batch_.group = 1 + options.negatives;
    batch_.label_noise = options.label_noise;
    assert(!examples_.empty());
  }

  std::size_t rows() const override { return examples_.size(); }
  void initialize() override { model_.start(context_); }
  void begin_epoch(std::size_t done) override { epochs_ = done; }

  double train_batch(std::span<const std::uint32_t> rows, Random& random) override {
    batch_.queries.clear();
    batch_.items.resize(rows.size() * batch_.group);
    auto items = std::span(batch_.items);
    for (const std::uint32_t row : rows) {
      const Example& example = examples_[row];
      batch_.queries.push_back({example.user, histories_.before(example)});
      items[0] = histories_.item(example);
      sampler_.draw(example.user, random, items.subspan(1, batch_.group - 1));
      items = items.subspan(batch_.group);
    }
    return model_.train_step(batch_, random, context_.pool());
  }

  void end_epoch() override {
    model_.end_epoch(context_.pool());
    ++epochs_;
  }

  EpochScore validate() override {
    for (const Metric& metric : model_.epoch_metrics()) {
      for (const double value : metric.values) {
        if (!std::isfinite(value)) return {value, 0.0};
      }
    }
    // Nothing to select by: the last epoch is the best.
    if (validation_.size() == 0) return {static_cast<double>(epochs_), 0.0};
    const WithAverage averaged(model_, context_.pool());
    std::vector<Ranking> rankings;
    LabelNoiseEstimate noise;
    score_held_out(model_, histories_, validation_, histories_.users(), context_.pool(),
                   [&](std::span<const float> scores) {
                     rankings.push_back(rank_first(scores));
                     if (options_.learn_label_noise) noise.add(scores);
                   });
    // The model overfits the likes it was trained on, so the noise is estimated on held-out ones.
    if (options_.learn_label_noise) batch_.label_noise = next_label_noise(batch_.label_noise, noise.share());
    const RankingMetrics metrics = ranking_metrics(rankings, kMeanMetricKs);
    return {metrics.at_k(10).ndcg.mean, -metrics.mrr.mean, mean_metrics(metrics)};
  }

  Metrics metrics() override {
    Metrics metrics = model_.epoch_metrics();
    if (options_.learn_label_noise) metrics.push_back({"label_noise", {batch_.label_noise}});
    return metrics;
  }

  void save_model(const Write& write) override {
    const WithAverage averaged(model_, context_.pool());
    SafetensorsWriter out;
    description_.write(out);
    model_.add_values(out, {});
    write(out);
  }

  void save_checkpoint(const TrainingPosition& position, const Write& write) override {
    TrainingPosition with_noise = position;
    with_noise.label_noise = batch_.label_noise;
    SafetensorsWriter out;
    out.set_metadata(kStateKey, std::string(description_.kind->name()));
    model_.add_state(out, {});
    add_position(out, with_noise);
    write(out);
  }

  TrainingPosition load_checkpoint(const SafetensorsFile& in) override {
    const auto model = in.metadata().find(kStateKey);
    if (model != in.metadata().end() && model->second != description_.kind->name()) {
      throw in.error(fmt::format("this checkpoint belongs to a model of kind '{}'", model->second));
    }
    model_.read_state(in, {});
    const TrainingPosition position = read_position(in);
    if (options_.learn_label_noise) batch_.label_noise = position.label_noise;
    return position;
  }

 private:
  TrainableRankingModel& model_;
  const RecommenderDescription& description_;
  const EpochRankingOptions& options_;
  const Histories& histories_;
  Context& context_;
  std::vector<Example> examples_;
  NegativeSampler sampler_;
  Candidates validation_;
  RankingBatch batch_;
  std::size_t epochs_ = 0;
};

}  // namespace

std::vector<Example> training_examples(const Histories& histories) {
  const NegativeSampler sampler(histories);
  std::vector<Example> examples = histories.examples(Split::kTrain);
  std::erase_if(examples, [&](const Example& example) { return !sampler.has_negatives(example.user); });
  return examples;
}

TrainingReport train_ranking(TrainableRankingModel& model, const RecommenderDescription& description,
                             const Histories& histories, Context& context, TrainingStore& store) {
  const EpochRankingOptions& options = *description.kind->training(*description.settings);
  RankingTask task(model, description, options, histories, context);
  return train_epochs(task, options, {}, context.random(kTraining), context, store);
}

}  // namespace linn
