#include "linn/recommend/protocol/train_ranking.h"

#include <fmt/format.h>

#include <cassert>
#include <cmath>

#include "linn/data/checksum.h"
#include "linn/recommend/protocol/candidates.h"
#include "linn/recommend/protocol/evaluate_ranking.h"
#include "linn/recommend/protocol/label_noise.h"
#include "linn/recommend/protocol/negative_sampler.h"
#include "linn/recommend/protocol/shared_negatives.h"
#include "linn/recommend/protocol/stretches.h"
#include "linn/train/replay.h"
#include "linn/train/shards.h"

namespace linn {
namespace {

// Streams of the context's randomness; models use lower ones.
enum Stream : std::uint64_t { kTraining = 16 };

// Metadata of a checkpoint: the kind of its model, and the checksum of the users and items whose vectors it has (none
// in those of 0.1.0 and 0.2.0).
constexpr const char* kStateKey = "state_of";
constexpr const char* kNamesKey = "names";

// During its lifetime the model has its averaged weights. The swap has a pool of its own, since that of the training
// throws once the training is to stop, and half a swap would leave neither weights.
class WithAverage {
 public:
  explicit WithAverage(TrainableRankingModel& model) : model_(model) { model_.swap_average(alone_); }
  ~WithAverage() { model_.swap_average(alone_); }
  WithAverage(const WithAverage&) = delete;
  WithAverage& operator=(const WithAverage&) = delete;

 private:
  TrainableRankingModel& model_;
  ThreadPool alone_{1};
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
        validation_(histories, Split::kValidation, {100, options.candidate_seed}),
        label_noise_(options.label_noise),
        shards_(make_shards(options.shards, context)) {
    if (shards_) model_.use_shards(*shards_);
    if (const auto window = model.training_window()) {
      stretches_.emplace(histories, *window);
      if (options.negatives > 0) shared_negatives_.emplace(histories, options.negative_sampling);
    } else {
      examples_ = training_examples(histories);
      sampler_.emplace(histories);
    }
    assert(rows() > 0);
    choose_replay();
  }

  std::vector<std::uint32_t> epoch_rows(Random& random) override {
    return replay_ ? replay_->draw(random) : all_rows();
  }

  std::size_t rows() const override { return stretches_ ? stretches_->list().size() : examples_.size(); }
  std::size_t targets(std::uint32_t row) const override { return stretches_ ? stretches_->list()[row].targets() : 1; }
  void initialize(TrainingStore& store) override {
    if (!store.start) model_.start(context_, {&store});
  }
  void begin_epoch(std::size_t done) override { epochs_ = done; }

  double train_batch(std::span<const std::uint32_t> rows, Random& random) override {
    return stretches_ ? train_on_stretches(rows, random) : train_on_examples(rows, random);
  }

  void end_epoch() override {
    model_.end_epoch(context_.pool());
    ++epochs_;
  }

  bool has_late_loss() const override { return model_.has_late_loss(); }
  double late_loss() override { return model_.late_loss(); }

  EpochScore validate() override {
    for (const Metric& metric : model_.epoch_metrics()) {
      for (const double value : metric.values) {
        if (!std::isfinite(value)) return {value, 0.0};
      }
    }
    // Nothing to select by: the last epoch is the best.
    if (validation_.size() == 0) return {static_cast<double>(epochs_), 0.0};
    const WithAverage averaged(model_);
    LabelNoiseEstimate noise;
    const std::vector<Ranking> rankings =
        rank_held_out(model_, histories_, validation_, histories_.users(), context_.pool(), &context_.processes(),
                      options_.learn_label_noise ? &noise : nullptr);
    // The model overfits the likes it was trained on, so the noise is estimated on held-out ones.
    if (options_.learn_label_noise) label_noise_ = next_label_noise(label_noise_, noise.share());
    const RankingMetrics metrics = ranking_metrics(rankings, kMeanMetricKs);
    return {metrics.at_k(10).ndcg.mean, -metrics.mrr.mean, mean_metrics(metrics)};
  }

  Metrics metrics() override {
    Metrics metrics = model_.epoch_metrics();
    if (options_.learn_label_noise) metrics.push_back({"label_noise", {label_noise_}});
    return metrics;
  }

  void save_model(const Write& write) override {
    const WithAverage averaged(model_);
    SafetensorsWriter out;
    description_.write(out);
    model_.add_values(out, {});
    write(out);
  }

  void save_checkpoint(const TrainingPosition& position, const Write& write) override {
    TrainingPosition with_noise = position;
    with_noise.label_noise = label_noise_;
    SafetensorsWriter out;
    out.set_metadata(kStateKey, std::string(description_.kind->name()));
    out.set_metadata(kNamesKey, names());
    model_.add_state(out, {});
    add_position(out, with_noise);
    write(out);
  }

  TrainingPosition load_checkpoint(const SafetensorsFile& in) override {
    const auto model = in.metadata().find(kStateKey);
    if (model != in.metadata().end() && model->second != description_.kind->name()) {
      throw in.error(fmt::format("this checkpoint belongs to a model of kind '{}'", model->second));
    }
    const auto stored_names = in.metadata().find(kNamesKey);
    if (stored_names != in.metadata().end() && stored_names->second != names()) {
      throw in.error(
          "this checkpoint belongs to other users or items than those of the data, or to another order of them");
    }
    model_.read_state(in, {});
    const TrainingPosition position = read_position(in);
    if (options_.learn_label_noise) label_noise_ = position.label_noise;
    return position;
  }

 private:
  std::string names() const { return checksum(description_.catalogue.users, description_.catalogue.items); }

  // Without earlier examples, or without later ones, epochs have all.
  void choose_replay() {
    std::vector<std::uint32_t> earlier;
    std::vector<std::uint32_t> later;
    for (std::uint32_t row = 0; row < rows(); ++row) (is_earlier(row) ? earlier : later).push_back(row);
    if (!earlier.empty() && !later.empty()) replay_.emplace(std::move(earlier), std::move(later), options_.replay);
  }
  bool is_earlier(std::uint32_t row) const {
    if (stretches_) return row < stretches_->earlier();
    return examples_[row].position < histories_.earlier_events(examples_[row].user).size();
  }

  double train_on_stretches(std::span<const std::uint32_t> rows, Random& random) {
    history_batch_.stretches.clear();
    for (const std::uint32_t row : rows) history_batch_.stretches.push_back(stretches_->list()[row]);
    if (shared_negatives_) {
      shared_negatives_->draw(options_.negatives, random, history_batch_.negatives, history_batch_.negative_log_counts);
    }
    history_batch_.label_noise = label_noise_;
    return model_.train_on_histories(history_batch_, random, context_.pool());
  }

  double train_on_examples(std::span<const std::uint32_t> rows, Random& random) {
    batch_.group = 1 + options_.negatives;
    batch_.label_noise = label_noise_;
    batch_.queries.clear();
    batch_.items.resize(rows.size() * batch_.group);
    auto items = std::span(batch_.items);
    for (const std::uint32_t row : rows) {
      const Example& example = examples_[row];
      batch_.queries.push_back({example.user, histories_.before(example)});
      items[0] = histories_.item(example);
      sampler_->draw(example.user, random, items.subspan(1, batch_.group - 1));
      items = items.subspan(batch_.group);
    }
    return model_.train_step(batch_, random, context_.pool());
  }

  TrainableRankingModel& model_;
  const RecommenderDescription& description_;
  const EpochRankingOptions& options_;
  const Histories& histories_;
  Context& context_;
  Candidates validation_;
  double label_noise_;
  std::size_t epochs_ = 0;
  std::unique_ptr<Shards> shards_;  // null: batches are not cut
  std::optional<Replay> replay_;    // if this training continues another one
  // For a model that learns from single likes.
  std::vector<Example> examples_;
  std::optional<NegativeSampler> sampler_;
  RankingBatch batch_;
  // For a model that learns from whole histories.
  std::optional<TrainingStretches> stretches_;
  std::optional<SharedNegatives> shared_negatives_;  // none: the whole catalogue
  HistoryBatch history_batch_;
};

}  // namespace

std::vector<Example> training_examples(const Histories& histories) {
  const NegativeSampler sampler(histories);
  std::vector<Example> examples = histories.examples(Split::kTrain);
  std::erase_if(examples, [&](const Example& example) { return !sampler.has_negatives(example.user); });
  return examples;
}

bool has_training_data(const TrainableRankingModel& model, const Histories& histories) {
  if (const auto window = model.training_window()) return !TrainingStretches(histories, *window).list().empty();
  return !training_examples(histories).empty();
}

bool has_later_data(const TrainableRankingModel& model, const Histories& histories) {
  if (const auto window = model.training_window()) {
    const TrainingStretches stretches(histories, *window);
    return stretches.list().size() > stretches.earlier();
  }
  return std::ranges::any_of(training_examples(histories), [&](const Example& example) {
    return example.position >= histories.earlier_events(example.user).size();
  });
}

TrainingReport train_ranking(TrainableRankingModel& model, const RecommenderDescription& description,
                             const Histories& histories, Context& context, TrainingStore& store) {
  const EpochRankingOptions& options = *description.kind->training(*description.settings);
  RankingTask task(model, description, options, histories, context);
  return train_epochs(task, options, {}, context.random(kTraining), context, store);
}

}  // namespace linn
