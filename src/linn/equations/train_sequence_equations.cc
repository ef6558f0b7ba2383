#include "linn/equations/train_sequence_equations.h"

#include "linn/base/error.h"
#include "linn/equations/sequence_equation_model.h"
#include "linn/equations/sequence_step.h"

namespace linn {
namespace {

// Streams of the context's randomness; the split of the data has the first one.
enum Stream : std::uint64_t { kInitialValues = 1, kTraining };

class SequenceTrainer : public EpochTrainer {
 public:
  SequenceTrainer(EquationData& data, const SequenceOptions& options, Context& context)
      : data_(data),
        options_(options),
        context_(context),
        model_(options.network, data.pool.variables()),
        optimizer_(options.optimizer, model_.network.parameters(), {&model_.tokens}),
        step_(model_.network, model_.tokens, optimizer_, context.pool(), options.dropout, options.flip_rate) {
    Normalizer normalizer(data.pool);
    for (const Expr e : data.train.expressions) forms_.push_back(normalizer.network_form(e, options.network.form));
    if (data.train.size() == 0) throw InputError("there are no equations to train on");
  }

  std::size_t rows() const override { return forms_.size(); }

  void initialize() override {
    Random initial = context_.random(kInitialValues);
    model_.network.parameters().initialize_normal(initial, options_.init);
    model_.tokens.initialize_normal(initial, options_.init);
  }

  void begin_epoch(std::size_t /*done*/) override {}

  double train_batch(std::span<const std::uint32_t> rows, Random& random) override {
    return step_.run(forms_, rows, data_.train.labels, random);
  }

  void end_epoch() override { optimizer_.flush(context_.pool()); }

  EquationMetrics evaluate() override {
    const EquationList& held_out = data_.validation.size() > 0 ? data_.validation : data_.train;
    const auto p = sequence_probabilities(model_, data_.pool, held_out.expressions, context_.pool());
    return equation_metrics(p, held_out.labels);
  }

  void save_model(const std::filesystem::path& path, const std::string& config) override {
    save_sequence_model(model_, path, {{"config", config}});
  }

  void save_checkpoint(const TrainingPosition& position, const std::filesystem::path& path) override {
    linn::save_checkpoint(model_, optimizer_, position, path);
  }

  TrainingPosition load_checkpoint(const std::filesystem::path& path) override {
    return linn::load_checkpoint(model_, optimizer_, path);
  }

 private:
  EquationData& data_;
  const SequenceOptions& options_;
  Context& context_;
  SequenceModel model_;
  Optimizer optimizer_;
  SequenceStep step_;
  std::vector<NormalForm> forms_;
};

}  // namespace

TrainingReport train_sequence_equations(EquationData& data, const SequenceOptions& options, Context& context,
                                        RunFolder& folder, const SnapshotEpochs& snapshots) {
  SequenceTrainer trainer(data, options, context);
  return train_epochs(trainer, {options.batch, options.epochs, options.patience, snapshots}, context.random(kTraining),
                      context, folder);
}

}  // namespace linn
