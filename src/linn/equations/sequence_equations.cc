#include "linn/equations/sequence_equations.h"

#include <memory>
#include <optional>

#include "linn/equations/equation_task.h"
#include "linn/equations/sequence_equation_model.h"
#include "linn/equations/sequence_step.h"

namespace linn {
namespace {

// Streams of the context's randomness; the split of the data uses stream 0.
enum Stream : std::uint64_t { kInitialValues = 1, kTraining };

class SequenceTask : public EquationTask {
 public:
  SequenceTask(const NormalizedEquations& data, const SequenceOptions& options, Context& context)
      : EquationTask(data, options.replay),
        options_(options),
        context_(context),
        model_(options.network, data.names.size()),
        optimizer_(options.optimizer, model_.network.parameters(), {&model_.tokens}),
        shards_(make_shards(options.shards, context)) {
    if (shards_) {
      sharded_step_.emplace(model_.network, model_.tokens, optimizer_, *shards_, options.dropout, options.label_noise);
    } else {
      step_.emplace(model_.network, model_.tokens, optimizer_, context.pool(), options.dropout, options.label_noise);
    }
  }

  void initialize(TrainingStore& /*store*/) override {
    Random initial = context_.random(kInitialValues);
    model_.network.parameters().initialize_normal(initial, options_.init);
    model_.tokens.initialize_normal(initial, options_.init);
  }

  void begin_epoch(std::size_t /*done*/) override {}

  double train_batch(std::span<const std::uint32_t> rows, Random& random) override {
    const auto run = [&](auto& step) { return step->run(data().train.forms, rows, data().train.labels, random); };
    return step_ ? run(step_) : run(sharded_step_);
  }

  void end_epoch() override { optimizer_.flush(context_.pool()); }

  EquationMetrics evaluate() override {
    return equation_metrics(sequence_probabilities(model_, held_out().forms, context_.pool()), held_out().labels);
  }

  void save_model(const Write& write) override {
    SafetensorsWriter out;
    add_sequence_model(out, data().names, model_);
    write(out);
  }

  void save_checkpoint(const TrainingPosition& position, const Write& write) override {
    SafetensorsWriter out;
    add_checkpoint(out, data().names, model_, optimizer_, position);
    write(out);
  }

  TrainingPosition load_checkpoint(const SafetensorsFile& in) override {
    return linn::load_checkpoint(in, data().names, model_, optimizer_);
  }

 private:
  const SequenceOptions& options_;
  Context& context_;
  SequenceModel model_;
  Optimizer optimizer_;
  std::unique_ptr<Shards> shards_;    // null: batches are not cut
  std::optional<SequenceStep> step_;  // one of the two
  std::optional<ShardedSequenceStep> sharded_step_;
};

class SequenceEquationKind : public EquationKindOf<SequenceOptions> {
 public:
  explicit SequenceEquationKind(SequenceKind kind) : kind_(kind) {}

  std::string_view name() const override { return sequence_kind_name(kind_); }
  double cost() const override { return kind_ == SequenceKind::kBiLstm ? 15.0 : 8.0; }
  std::vector<std::string> search_ranges(Preset) const override { return gradient_search_ranges(); }

  std::optional<Form> form(const Settings& settings) const override {
    return options_of<SequenceOptions>(settings).network.form;
  }
  TrainingReport train(const Settings& settings, const NormalizedEquations& data, const SnapshotEpochs& snapshots,
                       Context& context, TrainingStore& store) const override {
    return train_sequence_equations(data, options_of<SequenceOptions>(settings), snapshots, context, store);
  }
  std::unique_ptr<EquationModel> load(const SafetensorsFile& in) const override {
    return std::make_unique<SequenceEquationModel>(SequenceEquationModel::load(in));
  }

 protected:
  SequenceOptions options(Preset preset, const DataSize& size, std::size_t width) const override {
    return sequence_preset(kind_, preset, size.rows, width);
  }
  OptionTable<SequenceOptions> table() const override { return sequence_option_table(kind_); }

 private:
  SequenceKind kind_;
};

}  // namespace

TrainingReport train_sequence_equations(const NormalizedEquations& data, const SequenceOptions& options,
                                        const SnapshotEpochs& snapshots, Context& context, TrainingStore& store) {
  SequenceTask task(data, options, context);
  return train_epochs(task, options, snapshots, context.random(kTraining), context, store);
}

std::unique_ptr<const EquationKind> bi_rnn_kind() {
  return std::make_unique<SequenceEquationKind>(SequenceKind::kBiRnn);
}
std::unique_ptr<const EquationKind> bi_lstm_kind() {
  return std::make_unique<SequenceEquationKind>(SequenceKind::kBiLstm);
}
std::unique_ptr<const EquationKind> cnn_kind() { return std::make_unique<SequenceEquationKind>(SequenceKind::kCnn); }

}  // namespace linn
