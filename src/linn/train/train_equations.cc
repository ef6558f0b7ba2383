#include "linn/train/train_equations.h"

#include <algorithm>
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

class LinnTrainer : public EpochTrainer {
 public:
  LinnTrainer(EquationData& data, const EquationOptions& options, Context& context)
      : data_(data),
        options_(options),
        context_(context),
        model_(options.network, data.pool.variables()),
        optimizer_(options.optimizer, model_.network.parameters(), {&model_.variables}),
        step_(model_.network, model_.variables, optimizer_, context.pool(), step_options(options)) {
    Normalizer normalizer(data.pool);
    for (const Expr e : data.train.expressions) forms_.push_back(normalizer.network_form(e, options.form));
    if (data.train.size() == 0) throw InputError("there are no equations to train on");
  }

  std::size_t rows() const override { return forms_.size(); }

  void initialize() override {
    Random initial = context_.random(kInitialValues);
    model_.network.initialize(initial, options_.init);
    model_.variables.initialize_normal(initial, options_.init);
    if (options_.pretrain_steps > 0) {
      PretrainOptions pretrain = options_.pretrain;
      pretrain.steps = options_.pretrain_steps;
      pretrain_modules(model_.network, context_, pretrain, kPretraining);
    }
  }

  void begin_epoch(std::size_t done) override {
    step_.scale_laws(law_scale(done));
    values_ = {};
  }

  double train_batch(std::span<const std::uint32_t> rows, Random& random) override {
    batch_.clear();
    labels_.clear();
    for (const std::uint32_t row : rows) {
      batch_.add(forms_[row]);
      labels_.push_back(data_.train.labels[row]);
    }
    const LogicStep::Loss task = [&](std::span<const float> scores, std::span<float> d_scores) {
      return cross_entropy(scores, labels_, {options_.flip_rate}, d_scores);
    };
    const StepReport step = step_.run(batch_, task, random);
    for (std::size_t i = 0; i < kLaws; ++i) values_.laws[i] += step.regularizers.laws[i];
    values_.length += step.regularizers.length;
    const double sum = std::accumulate(values_.laws.begin(), values_.laws.end(), step.task_loss + values_.length);
    return std::isfinite(sum) ? step.task_loss : sum;
  }

  void end_epoch() override { optimizer_.flush(context_.pool()); }

  EquationMetrics evaluate() override {
    const EquationList& held_out = data_.validation.size() > 0 ? data_.validation : data_.train;
    const auto p = linn_probabilities(model_, options_.form, data_.pool, held_out.expressions, context_.pool());
    return equation_metrics(p, held_out.labels);
  }

  // Sums over the epoch (a law without weight was not computed), and how long the variables' vectors are at its end.
  std::string metrics() override {
    Json laws = Json::array();
    for (const double law : values_.laws) laws.push_back(options_.law_weight > 0.0F ? Json(law) : Json(nullptr));
    return Json{{"laws", laws}, {"length", values_.length}, {"variable_norm", mean_norm(model_.variables)}}.dump();
  }

  void save_model(const std::filesystem::path& path, const std::string& config) override {
    save_linn_model(model_, options_.form, path, {{"config", config}});
  }

  void save_checkpoint(const TrainingPosition& position, const std::filesystem::path& path) override {
    linn::save_checkpoint(model_, optimizer_, position, path);
  }

  TrainingPosition load_checkpoint(const std::filesystem::path& path) override {
    return linn::load_checkpoint(model_, optimizer_, path);
  }

 private:
  // Laws lead at first and come down in a straight line.
  float law_scale(std::size_t done) const {
    const float until = options_.law_boost_share * static_cast<float>(options_.epochs);
    const float share = until <= 0.0F ? 1.0F : std::min(1.0F, static_cast<float>(done) / until);
    return options_.law_boost + (1.0F - options_.law_boost) * share;
  }

  EquationData& data_;
  const EquationOptions& options_;
  Context& context_;
  LogicModel model_;
  Optimizer optimizer_;
  LogicStep step_;
  std::vector<NormalForm> forms_;
  ExpressionBatch batch_;
  std::vector<float> labels_;
  RegularizerValues values_;  // of the epoch
};

}  // namespace

void check_expressions(EquationData& data, Form form) {
  Normalizer normalizer(data.pool);
  for (const EquationList* list : {&data.train, &data.validation, &data.test}) {
    for (const Expr e : list->expressions) normalizer.network_form(e, form);
  }
}

EquationTrainingReport train_equations(EquationData& data, const EquationOptions& options, Context& context,
                                       RunFolder& folder, const SnapshotEpochs& snapshots) {
  LinnTrainer trainer(data, options, context);
  return train_epochs(trainer, {options.batch, options.epochs, options.patience, snapshots}, context.random(kTraining),
                      context, folder);
}

}  // namespace linn
