#include "linn/equations/linn_equations.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>

#include "linn/base/error.h"
#include "linn/equations/equation_loss.h"
#include "linn/equations/equation_task.h"
#include "linn/equations/linn_equation_model.h"
#include "linn/equations/linn_member.h"
#include "linn/nn/losses.h"

namespace linn {
namespace {

// Streams of the context's randomness; the split of the data uses stream 0.
enum Stream : std::uint64_t { kModules = 1, kPretraining, kTraining, kVariables };

// Each member of an ensemble has its own streams, so that members do not depend on each other.
constexpr std::uint64_t kStreamsOfMember = 16;

// Trains one network with all threads, or an ensemble with one thread per member; in shards, one network after the
// other with a thread for each shard. All members see the same batches; they differ in the initial values of their
// variables, in dropout and in the order of operands.
class LinnTask : public EquationTask {
 public:
  LinnTask(const NormalizedEquations& data, const EquationOptions& options, Context& context)
      : EquationTask(data, options.replay), options_(options), context_(context), label_noise_(options.label_noise) {
    shards_ = make_shards(options.shards, context);
    for (std::size_t i = 0; i < options.ensemble; ++i) {
      if (options.ensemble > 1) own_threads_.push_back(std::make_unique<ThreadPool>(1));
      ThreadPool& threads = options.ensemble > 1 ? *own_threads_[i] : context.pool();
      members_.push_back(
          std::make_unique<LinnMember>(data.names.size(), options_, threads, shards_.get(), context.device()));
    }
    for (std::size_t i = 0; i < (shards_ ? shards_->count() : 1); ++i) {
      losses_.emplace_back(options, data.train.forms, data.names.size());
    }
  }

  void initialize(TrainingStore& store) override {
    const std::size_t sets = std::min(options_.module_sets, members_.size());
    std::vector<LogicNetwork*> networks;
    for (std::size_t i = 0; i < sets; ++i) {
      Random modules = context_.random(i * kStreamsOfMember + kModules);
      members_[i]->initialize_modules(modules);
      networks.push_back(&members_[i]->model().network);
    }
    if (options_.pretrain.steps > 0 && !store.start) {
      pretrain_modules(networks, context_, options_.pretrain, kPretraining, {&store});
    }
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (i >= sets) members_[i]->copy_modules(*members_[i % sets]);
      Random variables = context_.random(i * kStreamsOfMember + kVariables);
      members_[i]->initialize_variables(variables);
    }
  }

  void begin_epoch(std::size_t done) override {
    for (auto& member : members_) member->begin_epoch(law_scale(options_, done, options_.epochs));
  }

  double train_batch(std::span<const std::uint32_t> rows, Random& random) override {
    if (shards_) return train_shards(rows, random);
    EquationBatchLoss& batch = losses_[0];
    batch.gather(data().train.forms, data().train.labels, rows);
    if (context_.device() != nullptr) return queue_batch(random);
    const LogicStep::Loss loss = [&](std::span<const float> scores, std::span<float> d_scores) {
      return batch(scores, label_noise_, d_scores);
    };
    if (members_.size() == 1) return members_[0]->train(batch.batch(), loss, random);
    const std::uint64_t seed = random.next();
    member_losses_.resize(members_.size());
    for_each_member([&](std::size_t i) {
      Random own(seed, i);
      member_losses_[i] = members_[i]->train(batch.batch(), loss, own);
    });
    return mean_loss();
  }

  void end_epoch() override {
    late_loss_ = 0.0;
    for (auto& member : members_) late_loss_ += member->end_epoch(context_.pool());
    late_loss_ /= static_cast<double>(members_.size());
  }
  bool has_late_loss() const override { return context_.device() != nullptr; }
  double late_loss() override { return late_loss_; }

  EquationMetrics evaluate() override {
    const NormalizedEquations::Part& part = held_out();
    const std::vector<float> mean = mean_probabilities(models(), part.forms, context_.pool(), context_.device());
    if (options_.learn_label_noise) learn_label_noise(mean, part.labels);
    noisy_log_loss_ = noisy_log_loss(mean, part.labels);
    return equation_metrics(mean, part.labels);
  }

  double score(const EquationMetrics& metrics) override {
    return options_.select_by == SelectBy::kAccuracy ? metrics.accuracy : -noisy_log_loss_;
  }

  // Means over the members: the regularizers, summed over the epoch (laws without a weight are not computed: NaN), and
  // the mean length of the variables' vectors at its end.
  Metrics metrics() override {
    const auto mean = [&](auto value) {
      double sum = 0.0;
      for (auto& member : members_) sum += static_cast<double>(value(*member));
      return sum / static_cast<double>(members_.size());
    };
    Metric laws = {"laws", std::vector<double>(kLaws, std::numeric_limits<double>::quiet_NaN())};
    if (options_.law_weight > 0.0F) {
      for (std::size_t i = 0; i < kLaws; ++i) {
        laws.values[i] = mean([&](LinnMember& m) { return m.regularizers().laws[i]; });
      }
    }
    Metrics metrics = {std::move(laws),
                       {"length", {mean([](LinnMember& m) { return m.regularizers().length; })}},
                       {"variable_norm", {mean([](LinnMember& m) { return mean_norm(m.model().variables); })}}};
    if (options_.learn_label_noise) metrics.push_back({"label_noise", {label_noise_}});
    return metrics;
  }

  // The sum of all laws per equation of the epoch.
  std::string note() override {
    if (options_.law_weight == 0.0F) return {};
    const auto& laws = members_[0]->regularizers().laws;
    return fmt::format("laws {:.4f}", std::accumulate(laws.begin(), laws.end(), 0.0) / static_cast<double>(rows()));
  }

  void save_model(const Write& write) override {
    SafetensorsWriter out;
    add_linn_models(out, data().names, models(), options_.form);
    write(out);
  }

  void save_checkpoint(const TrainingPosition& position, const Write& write) override {
    TrainingPosition with_noise = position;
    with_noise.label_noise = label_noise_;
    SafetensorsWriter out;
    add_checkpoint(out, data().names, trained(), with_noise);
    write(out);
  }

  TrainingPosition load_checkpoint(const SafetensorsFile& in) override {
    const TrainingPosition position = linn::load_checkpoint(in, data().names, trained());
    label_noise_ = position.label_noise;
    return position;
  }

 private:
  double queue_batch(Random& random) {
    const ScoreLoss loss = losses_[0].for_device(label_noise_);
    if (members_.size() == 1) {
      members_[0]->queue(losses_[0].batch(), loss, random);
      return 0.0;
    }
    const std::uint64_t seed = random.next();
    for_each_member([&](std::size_t i) {
      Random own(seed, i);
      members_[i]->queue(losses_[0].batch(), loss, own);
    });
    return 0.0;
  }

  double train_shards(std::span<const std::uint32_t> rows, Random& random) {
    shards_->run(shards_->all(), [&](std::size_t shard) {
      losses_[shard].gather(data().train.forms, data().train.labels, shards_->part(rows, shard));
    });
    const auto fill = [&](std::size_t shard, Random&, ExpressionBatch& batch) { batch = losses_[shard].batch(); };
    const auto loss = [&](std::size_t shard, std::span<const float> scores, std::span<float> d_scores) {
      return losses_[shard](scores, label_noise_, d_scores);
    };
    const std::uint64_t seed = random.next();
    member_losses_.resize(members_.size());
    for (std::size_t i = 0; i < members_.size(); ++i) {
      Random own(seed, i);
      member_losses_[i] = members_[i]->train(fill, loss, own);
    }
    return mean_loss();
  }

  double mean_loss() const {
    return std::accumulate(member_losses_.begin(), member_losses_.end(), 0.0) / static_cast<double>(members_.size());
  }

  // The log-loss of the labels under label noise, as in the loss.
  double noisy_log_loss(std::span<const float> p, std::span<const float> labels) const {
    std::vector<float> noisy(p.begin(), p.end());
    const auto e = static_cast<float>(label_noise_);
    for (float& value : noisy) value = (1.0F - e) * value + e * (1.0F - value);
    return equation_metrics(noisy, labels).log_loss;
  }

  // On held-out labels, since the networks overfit those they were trained on.
  void learn_label_noise(std::span<const float> p, std::span<const float> labels) {
    label_noise_ = next_label_noise(
        label_noise_, expected_wrong_labels(p, labels, label_noise_) / static_cast<double>(labels.size()));
  }

  template <class Work>
  void for_each_member(const Work& work) {
    context_.pool().run(members_.size(), [&](std::size_t i, std::size_t) { work(i); });
  }

  std::vector<const LogicModel*> models() const {
    std::vector<const LogicModel*> all;
    for (const auto& member : members_) all.push_back(&member->model());
    return all;
  }

  std::vector<TrainedModel> trained() {
    std::vector<TrainedModel> all;
    for (auto& member : members_) all.push_back(member->trained());
    return all;
  }

  const EquationOptions& options_;
  Context& context_;
  std::unique_ptr<Shards> shards_;                        // null: batches are not cut
  std::vector<std::unique_ptr<ThreadPool>> own_threads_;  // one thread per member of an ensemble
  std::vector<std::unique_ptr<LinnMember>> members_;
  std::vector<EquationBatchLoss> losses_;  // of the batch, or of each shard
  std::vector<double> member_losses_;
  double late_loss_ = 0.0;
  double label_noise_;
  double noisy_log_loss_ = 0.0;  // on held_out()
};

class LinnEquationKind : public EquationKindOf<EquationOptions> {
 public:
  std::string_view name() const override { return "linn"; }
  bool trains_on_devices() const override { return true; }
  double cost() const override { return 30.0; }

  // Under `best` the modules are frozen, so there are no laws to weight.
  std::vector<std::string> search_ranges(Preset preset) const override {
    auto ranges = gradient_search_ranges();
    if (preset != Preset::kBest) ranges.emplace_back("laws=1e-3..1:log");
    return ranges;
  }

  void check(const Settings& settings) const override {
    const auto& options = options_of<EquationOptions>(settings);
    if (options.module_sets > options.ensemble) {
      throw InputError(fmt::format("module_sets={} needs an ensemble of at least as many networks, not {}",
                                   options.module_sets, options.ensemble));
    }
    if (options.module_sets > 1 && options.pretrain.steps == 0) {
      throw InputError("module_sets is for networks whose modules are pretrained: pretrain_steps must not be 0");
    }
  }

  std::optional<Form> form(const Settings& settings) const override {
    return options_of<EquationOptions>(settings).form;
  }
  TrainingReport train(const Settings& settings, const NormalizedEquations& data, const SnapshotEpochs& snapshots,
                       Context& context, TrainingStore& store) const override {
    return train_equations(data, options_of<EquationOptions>(settings), snapshots, context, store);
  }
  std::unique_ptr<EquationModel> load(const SafetensorsFile& in) const override {
    return std::make_unique<LinnEquationModel>(LinnEquationModel::load(in));
  }

 protected:
  EquationOptions options(Preset preset, const DataSize& size, std::size_t width) const override {
    return equation_preset(preset, size.rows, width);
  }
  OptionTable<EquationOptions> table() const override { return equation_option_table(); }
};

class LinnEquationWithoutLawsKind : public LinnEquationKind {
 public:
  std::string_view name() const override { return "linn-rl"; }
  double cost() const override { return 6.0; }
  std::vector<std::string> search_ranges(Preset) const override { return gradient_search_ranges(); }

  void check(const Settings& settings) const override {
    LinnEquationKind::check(settings);
    const auto& options = options_of<EquationOptions>(settings);
    if (options.law_weight == 0.0F && options.pretrain.steps == 0) return;
    throw InputError("linn-rl is LINN without laws: laws and pretrain_steps must be 0");
  }

 protected:
  EquationOptions options(Preset preset, const DataSize& size, std::size_t width) const override {
    EquationOptions options = equation_preset(preset, size.rows, width);
    leave_out_laws(options);
    return options;
  }
};

}  // namespace

TrainingReport train_equations(const NormalizedEquations& data, const EquationOptions& options,
                               const SnapshotEpochs& snapshots, Context& context, TrainingStore& store) {
  LinnTask task(data, options, context);
  return train_epochs(task, options, snapshots, context.random(kTraining), context, store);
}

std::unique_ptr<const EquationKind> linn_equation_kind() { return std::make_unique<LinnEquationKind>(); }
std::unique_ptr<const EquationKind> linn_equation_without_laws_kind() {
  return std::make_unique<LinnEquationWithoutLawsKind>();
}

}  // namespace linn
