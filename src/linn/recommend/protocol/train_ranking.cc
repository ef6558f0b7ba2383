#include "linn/recommend/protocol/train_ranking.h"

#include <array>
#include <cmath>

#include "linn/base/error.h"
#include "linn/base/json.h"
#include "linn/recommend/protocol/candidates.h"
#include "linn/recommend/protocol/evaluate_ranking.h"
#include "linn/recommend/protocol/negative_sampler.h"
#include "linn/recommend/protocol/wrong_likes.h"

namespace linn {
namespace {

// Streams of the context's randomness; the model takes lower ones.
enum Stream : std::uint64_t { kTraining = 16 };

constexpr std::array<std::size_t, 2> kValidationKs = {1, 10};

// While it lives, the model answers with the average of its weights, if it has one.
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
  RankingTask(TrainableRankingModel& model, const Histories& histories, const Catalogue& catalogue,
              const RecommendOptions& options, Context& context)
      : model_(model),
        histories_(histories),
        catalogue_(catalogue),
        options_(options),
        context_(context),
        examples_(training_examples(histories)),
        sampler_(histories),
        validation_(histories, Split::kValidation, {100, options.candidate_seed}) {
    batch_.group = 1 + options.negatives;
    batch_.flip_rate = options.flip_rate;
    if (examples_.empty())
      throw InputError("there are no likes to train on that have an earlier rating of the same user");
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
    for (const EpochFigure& figure : model_.epoch_figures()) {
      for (const double value : figure.values) {
        if (!std::isfinite(value)) return {value, 0.0, "null"};
      }
    }
    // Nothing to choose by: the last epoch is taken.
    if (validation_.size() == 0) return {static_cast<double>(epochs_), 0.0, "null"};
    const WithAverage averaged(model_, context_.pool());
    std::vector<Ranking> rankings;
    WrongLikes wrong;
    score_held_out(model_, histories_, validation_, histories_.users(), context_.pool(),
                   [&](std::span<const float> scores) {
                     rankings.push_back(rank_first(scores));
                     if (options_.learn_flip_rate) wrong.add(scores);
                   });
    // Likes that were trained on are bent to; held-out ones say how many are not to be explained.
    if (options_.learn_flip_rate) {
      batch_.flip_rate = next_flip_rate(batch_.flip_rate, wrong.share());
    }
    const RankingMetrics metrics = ranking_metrics(rankings, kValidationKs);
    const Json line = {{"ndcg@10", metrics.at_k(10).ndcg.mean},
                       {"hit@1", metrics.at_k(1).hit.mean},
                       {"hit@10", metrics.at_k(10).hit.mean},
                       {"mrr", metrics.mrr.mean},
                       {"auc", metrics.auc.mean}};
    return {metrics.at_k(10).ndcg.mean, -metrics.mrr.mean, line.dump()};
  }

  std::string metrics() override {
    Json figures = Json::object();
    for (const auto& [name, values] : model_.epoch_figures()) {
      figures[name] = values.size() == 1 ? Json(values[0]) : Json(values);
    }
    if (options_.learn_flip_rate) figures["flip_rate"] = batch_.flip_rate;
    return figures.dump();
  }

  void save_model(const std::filesystem::path& path, const std::string& config) override {
    const WithAverage averaged(model_, context_.pool());
    model_.save(path, catalogue_, {{"config", config}});
  }

  void save_checkpoint(const TrainingPosition& position, const std::filesystem::path& path) override {
    TrainingPosition whole = position;
    whole.flip_rate = batch_.flip_rate;
    SafetensorsWriter out;
    model_.add_state(out, {});
    add_position(out, whole);
    out.write(path);
  }

  TrainingPosition load_checkpoint(const std::filesystem::path& path) override {
    const SafetensorsFile in = SafetensorsFile::read(path);
    model_.read_state(in, {});
    const TrainingPosition position = read_position(in);
    if (options_.learn_flip_rate) batch_.flip_rate = position.flip_rate;
    return position;
  }

 private:
  TrainableRankingModel& model_;
  const Histories& histories_;
  const Catalogue& catalogue_;
  const RecommendOptions& options_;
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

TrainingReport train_ranking(TrainableRankingModel& model, const Histories& histories, const Catalogue& catalogue,
                             const RecommendOptions& options, Context& context, RunFolder& folder) {
  RankingTask task(model, histories, catalogue, options, context);
  return train_epochs(task, {options.batch, options.epochs, options.patience, {}}, context.random(kTraining), context,
                      folder);
}

}  // namespace linn
