#include "linn/train/train_equations.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "linn/base/error.h"
#include "linn/model/logic_model.h"
#include "linn/nn/losses.h"
#include "linn/train/equation_model.h"
#include "linn/train/logic_step.h"

namespace linn {
namespace {

using Json = nlohmann::ordered_json;

// Streams of the context's randomness; the split of the data has the first one.
enum Stream : std::uint64_t { kInitialValues = 1, kPretraining, kTraining };

LogicStepOptions step_options(const EquationOptions& options) {
  LogicStepOptions step;
  step.regularizers.set_laws(options.law_weight);
  step.regularizers.law_share = options.law_share;
  step.regularizers.count_occurrences = options.count_occurrences;
  step.regularizers.length = options.length_weight;
  step.regularizers.squared_length = options.squared_length;
  step.plan.negation_hides_variable = options.negation_hides_variable;
  step.random_order = options.random_order;
  step.dropout = options.dropout;
  return step;
}

// Better on validation: more right, or as many with a lower loss.
bool is_better(const EquationMetrics& a, const EquationMetrics& b) {
  if (a.accuracy != b.accuracy) return a.accuracy > b.accuracy;
  return a.log_loss < b.log_loss;
}

struct Epoch {
  std::size_t number = 0;  // from 1
  EquationMetrics validation;
  double seconds = 0.0;
};

class Trainer {
 public:
  Trainer(EquationData& data, const EquationOptions& options, Context& context, RunFolder& folder)
      : data_(data),
        options_(options),
        context_(context),
        folder_(folder),
        model_(options.network, data.pool.variables()),
        optimizer_(options.optimizer, model_.network.parameters(), {&model_.variables}),
        step_(model_.network, model_.variables, optimizer_, context.pool(), step_options(options)),
        random_(context.random(kTraining)) {
    Normalizer normalizer(data.pool);
    for (const Expr e : data.train.expressions) forms_.push_back(normalizer.network_form(e, options.form));
    if (data.train.size() == 0) throw InputError("there are no equations to train on");
  }

  EquationTrainingReport run() {
    start();
    while (epoch_ < options_.epochs && !out_of_patience()) {
      Epoch epoch;
      if (!train_epoch(epoch)) {
        report_.interrupted = true;
        break;
      }
      finish_epoch(epoch);
    }
    report_.epochs = epoch_;
    report_.best_epoch = best_ ? best_->number : 0;
    report_.seconds_per_epoch = epoch_ == 0 ? 0.0 : seconds_ / static_cast<double>(epoch_);
    return report_;
  }

 private:
  // From the checkpoint, or from the beginning.
  void start() {
    if (std::filesystem::exists(folder_.checkpoint_path())) {
      const TrainingPosition position = load_checkpoint(model_, optimizer_, folder_.checkpoint_path());
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
    Random initial = context_.random(kInitialValues);
    model_.network.initialize(initial, options_.init);
    model_.variables.initialize_normal(initial, options_.init);
    if (options_.pretrain_steps > 0) {
      PretrainOptions pretrain = options_.pretrain;
      pretrain.steps = options_.pretrain_steps;
      pretrain_modules(model_.network, context_, pretrain, kPretraining);
    }
    // A run that is stopped in its first epoch has a model too.
    save_best();
  }

  // False if it was asked to stop.
  bool train_epoch(Epoch& epoch) {
    step_.scale_laws(law_scale());
    std::vector<std::uint32_t> order(forms_.size());
    std::iota(order.begin(), order.end(), 0U);
    random_.shuffle(std::span(order));

    const auto start = std::chrono::steady_clock::now();
    loss_ = 0.0;
    values_ = {};
    std::vector<float> labels;
    const LogicStep::Loss task = [&](std::span<const float> scores, std::span<float> d_scores) {
      return cross_entropy(scores, labels, {options_.flip_rate}, d_scores);
    };
    ExpressionBatch batch;
    const std::size_t batches = (order.size() + options_.batch - 1) / options_.batch;
    for (std::size_t begin = 0; begin < order.size(); begin += options_.batch) {
      batch.clear();
      labels.clear();
      for (std::size_t i = begin; i < std::min(begin + options_.batch, order.size()); ++i) {
        batch.add(forms_[order[i]]);
        labels.push_back(data_.train.labels[order[i]]);
      }
      const StepReport step = step_.run(batch, task, random_);
      check_finite(step);
      loss_ += step.task_loss;
      for (std::size_t i = 0; i < kLaws; ++i) values_.laws[i] += step.regularizers.laws[i];
      values_.length += step.regularizers.length;
      if (!context_.report({"training", epoch_ * batches + begin / options_.batch + 1, options_.epochs * batches,
                            loss_ / static_cast<double>(begin + labels.size())})) {
        return false;
      }
    }
    optimizer_.flush(context_.pool());
    epoch.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    epoch.number = epoch_ + 1;
    return true;
  }

  void check_finite(const StepReport& step) const {
    double sum = step.task_loss + step.regularizers.length;
    for (const double law : step.regularizers.laws) sum += law;
    if (!std::isfinite(sum)) fail_diverged();
  }

  [[noreturn]] void fail_diverged() const {
    throw Failure(fmt::format(
        "training diverged in epoch {}: the loss is no longer a number; the best model so far is kept in {} (a lower "
        "learning_rate or a clip_norm may help)",
        epoch_ + 1, folder_.path().string()));
  }

  // Laws lead at first and come down in a straight line.
  float law_scale() const {
    const float until = options_.law_boost_share * static_cast<float>(options_.epochs);
    const float done = until <= 0.0F ? 1.0F : std::min(1.0F, static_cast<float>(epoch_) / until);
    return options_.law_boost + (1.0F - options_.law_boost) * done;
  }

  void finish_epoch(Epoch& epoch) {
    epoch.validation = evaluate();
    if (!std::isfinite(epoch.validation.rmse)) fail_diverged();
    ++epoch_;
    seconds_ += epoch.seconds;
    if (!best_ || is_better(epoch.validation, best_->validation)) {
      best_ = epoch;
      save_best();
    }
    append_metrics(epoch);
    save_checkpoint(
        model_, optimizer_,
        {epoch_, best_->number, best_->validation.accuracy, best_->validation.log_loss, seconds_, random_.state()},
        folder_.checkpoint_path());
  }

  // Sums over the epoch; a law without weight was not computed.
  void append_metrics(const Epoch& epoch) {
    Json laws = Json::array();
    for (const double law : values_.laws) laws.push_back(options_.law_weight > 0.0F ? Json(law) : Json(nullptr));
    folder_.append_metrics(Json{
        {"epoch", epoch.number},
        {"loss", loss_},
        {"laws", laws},
        {"length", values_.length},
        {"validation",
         {{"accuracy", epoch.validation.accuracy},
          {"rmse", epoch.validation.rmse},
          {"log_loss", epoch.validation.log_loss}}},
        {"seconds",
         epoch.seconds}}.dump());
  }

  bool out_of_patience() const { return best_ && epoch_ - best_->number >= options_.patience; }

  EquationMetrics evaluate() {
    const EquationList& held_out = data_.validation.size() > 0 ? data_.validation : data_.train;
    const auto p = linn_probabilities(model_, options_.form, data_.pool, held_out.expressions, context_.pool());
    return equation_metrics(p, held_out.labels);
  }

  void save_best() { save_linn_model(model_, options_.form, folder_.model_path(), {{"config", folder_.config()}}); }

  EquationData& data_;
  const EquationOptions& options_;
  Context& context_;
  RunFolder& folder_;
  LogicModel model_;
  Optimizer optimizer_;
  LogicStep step_;
  Random random_;
  std::vector<NormalForm> forms_;
  std::size_t epoch_ = 0;  // done
  std::optional<Epoch> best_;
  double seconds_ = 0.0;
  double loss_ = 0.0;
  RegularizerValues values_;
  EquationTrainingReport report_;
};

}  // namespace

void check_expressions(EquationData& data, Form form) {
  Normalizer normalizer(data.pool);
  for (const EquationList* list : {&data.train, &data.validation, &data.test}) {
    for (const Expr e : list->expressions) normalizer.network_form(e, form);
  }
}

EquationTrainingReport train_equations(EquationData& data, const EquationOptions& options, Context& context,
                                       RunFolder& folder) {
  return Trainer(data, options, context, folder).run();
}

}  // namespace linn
