#include "linn/equations/train_equations.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>

#include "linn/base/error.h"
#include "linn/base/json.h"
#include "linn/equations/equation_loss.h"
#include "linn/equations/equation_model.h"
#include "linn/equations/linn_member.h"
#include "linn/nn/losses.h"
#include "linn/train/logic_step_options.h"

namespace linn {
namespace {

// Streams of the context's randomness; the split of the data has the first one.
enum Stream : std::uint64_t { kModules = 1, kPretraining, kTraining, kVariables };

// The members of an ensemble do not depend on each other; each has streams of its own.
constexpr std::uint64_t kStreamsOfMember = 16;

// Trains one network with all threads, or an ensemble with a thread for each member. All members see the same batches;
// they differ in where their variables start, in what is dropped and in the order of operands.
class LinnTrainer : public EpochTrainer {
 public:
  LinnTrainer(EquationData& data, const EquationOptions& options, Context& context)
      : data_(data), options_(options), context_(context), flip_rate_(options.flip_rate) {
    if (data.train.size() == 0) throw InputError("there are no equations to train on");
    for (std::size_t i = 0; i < options.ensemble; ++i) {
      if (options.ensemble > 1) own_threads_.push_back(std::make_unique<ThreadPool>(1));
      ThreadPool& threads = options.ensemble > 1 ? *own_threads_[i] : context.pool();
      members_.push_back(std::make_unique<LinnMember>(data.pool.variables(), options_, threads));
    }
    const auto forms_of = [&](const EquationList& equations) {
      return network_forms(options.form, data.pool, equations.expressions, data.pool.variables());
    };
    forms_ = forms_of(data.train);
    validation_forms_ = forms_of(data.validation);
    loss_.emplace(options, forms_, data.pool.variables().size());
  }

  std::size_t rows() const override { return forms_.size(); }

  void initialize() override {
    const std::size_t schools = std::min(options_.schools, members_.size());
    std::vector<LogicNetwork*> networks;
    for (std::size_t i = 0; i < schools; ++i) {
      Random modules = context_.random(i * kStreamsOfMember + kModules);
      members_[i]->initialize_modules(modules);
      networks.push_back(&members_[i]->model().network);
    }
    if (options_.pretrain.steps > 0) pretrain_modules(networks, context_, options_.pretrain, kPretraining);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (i >= schools) members_[i]->copy_modules(*members_[i % schools]);
      Random variables = context_.random(i * kStreamsOfMember + kVariables);
      members_[i]->initialize_variables(variables);
    }
  }

  void begin_epoch(std::size_t done) override {
    for (auto& member : members_) member->begin_epoch(law_scale(options_, done));
  }

  double train_batch(std::span<const std::uint32_t> rows, Random& random) override {
    loss_->gather(forms_, data_.train.labels, rows);
    const LogicStep::Loss loss = [&](std::span<const float> scores, std::span<float> d_scores) {
      return (*loss_)(scores, flip_rate_, d_scores);
    };
    if (members_.size() == 1) return members_[0]->train(loss_->batch(), loss, random);
    const std::uint64_t seed = random.next();
    losses_.resize(members_.size());
    for_each_member([&](std::size_t i) {
      Random own(seed, i);
      losses_[i] = members_[i]->train(loss_->batch(), loss, own);
    });
    return std::accumulate(losses_.begin(), losses_.end(), 0.0) / static_cast<double>(members_.size());
  }

  void end_epoch() override {
    for (auto& member : members_) member->end_epoch(context_.pool());
  }

  EquationMetrics evaluate() override {
    const bool split = !validation_forms_.empty();
    const std::vector<float>& labels = split ? data_.validation.labels : data_.train.labels;
    std::vector<const LogicModel*> models;
    for (auto& member : members_) models.push_back(&member->model());
    const std::vector<float> mean = mean_probabilities(models, split ? validation_forms_ : forms_, context_.pool());
    if (options_.learn_flip_rate) learn_flip_rate(mean, labels);
    seen_log_loss_ = log_loss_of_seen_labels(mean, labels);
    return equation_metrics(mean, labels);
  }

  double score(const EquationMetrics& metrics) override {
    return options_.select_by == SelectBy::kAccuracy ? metrics.accuracy : -seen_log_loss_;
  }

  // Sums over the epoch (a law without weight was not computed), and how long the variables' vectors are at its end;
  // means over the members.
  std::string metrics() override {
    const auto mean = [&](auto value) {
      double sum = 0.0;
      for (auto& member : members_) sum += static_cast<double>(value(*member));
      return sum / static_cast<double>(members_.size());
    };
    Json laws = Json::array();
    for (std::size_t i = 0; i < kLaws; ++i) {
      laws.push_back(options_.law_weight > 0.0F ? Json(mean([&](LinnMember& m) { return m.regularizers().laws[i]; }))
                                                : Json(nullptr));
    }
    Json line = {{"laws", laws},
                 {"length", mean([](LinnMember& m) { return m.regularizers().length; })},
                 {"variable_norm", mean([](LinnMember& m) { return mean_norm(m.model().variables); })}};
    if (options_.learn_flip_rate) line["flip_rate"] = flip_rate_;
    return line.dump();
  }

  // The mean of all laws over the equations of the epoch.
  std::string note() override {
    if (options_.law_weight == 0.0F) return {};
    const auto& laws = members_[0]->regularizers().laws;
    return fmt::format("laws {:.4f}", std::accumulate(laws.begin(), laws.end(), 0.0) / static_cast<double>(rows()));
  }

  void save_model(const std::filesystem::path& path, const std::string& config) override {
    std::vector<const LogicModel*> models;
    for (auto& member : members_) models.push_back(&member->model());
    save_linn_models(models, options_.form, path, {{"config", config}});
  }

  void save_checkpoint(const TrainingPosition& position, const std::filesystem::path& path) override {
    TrainingPosition whole = position;
    whole.flip_rate = flip_rate_;
    linn::save_checkpoint(trained(), whole, path);
  }

  TrainingPosition load_checkpoint(const std::filesystem::path& path) override {
    const TrainingPosition position = linn::load_checkpoint(trained(), path);
    flip_rate_ = position.flip_rate;
    return position;
  }

 private:
  // A label is seen through flips, as in the loss.
  double log_loss_of_seen_labels(std::span<const float> p, std::span<const float> labels) const {
    std::vector<float> seen(p.begin(), p.end());
    const auto e = static_cast<float>(flip_rate_);
    for (float& value : seen) value = (1.0F - e) * value + e * (1.0F - value);
    return equation_metrics(seen, labels).log_loss;
  }

  // Labels that were trained on are bent to; what the networks expect of held-out ones is compared with what these say.
  void learn_flip_rate(std::span<const float> p, std::span<const float> labels) {
    flip_rate_ = next_flip_rate(flip_rate_, expected_flips(p, labels, flip_rate_) / static_cast<double>(labels.size()));
  }

  template <class Work>
  void for_each_member(const Work& work) {
    context_.pool().run(members_.size(), [&](std::size_t i, std::size_t) { work(i); });
  }

  std::vector<TrainedModel> trained() {
    std::vector<TrainedModel> all;
    for (auto& member : members_) all.push_back(member->trained());
    return all;
  }

  EquationData& data_;
  const EquationOptions& options_;
  Context& context_;
  std::vector<std::unique_ptr<ThreadPool>> own_threads_;  // of one thread, for each member of an ensemble
  std::vector<std::unique_ptr<LinnMember>> members_;
  std::vector<NormalForm> forms_;             // of the training data
  std::vector<NormalForm> validation_forms_;  // none: the training data is asked
  std::optional<EquationBatchLoss> loss_;
  std::vector<double> losses_;
  double flip_rate_;
  double seen_log_loss_ = 0.0;  // on the validation data
};

}  // namespace

void check_expressions(EquationData& data, Form form) {
  Normalizer normalizer(data.pool);
  for (const EquationList* list : {&data.train, &data.validation, &data.test}) {
    for (const Expr e : list->expressions) normalizer.network_form(e, form);
  }
}

TrainingReport train_equations(EquationData& data, const EquationOptions& options, Context& context, RunFolder& folder,
                               const SnapshotEpochs& snapshots) {
  LinnTrainer trainer(data, options, context);
  return train_epochs(trainer, {options.batch, options.epochs, options.patience, snapshots}, context.random(kTraining),
                      context, folder);
}

}  // namespace linn
