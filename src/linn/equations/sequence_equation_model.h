// Models that read expressions as sequences of tokens: the baselines of the paper.
#pragma once

#include <span>
#include <vector>

#include "linn/equations/equation_model.h"
#include "linn/equations/sequence_network.h"
#include "linn/equations/sequence_run.h"

namespace linn {

// A file has one tensor per matrix of the network and the vectors of the tokens as `tokens`: T, F, NOT, AND, OR, the
// two parentheses, then the variables. Its metadata has `model`, `network` (the shape as JSON) and `vocabulary`.
struct SequenceModel {
  SequenceModel(const SequenceNetworkOptions& options, std::size_t variables)
      : network(options), tokens("tokens", kSymbols + variables, options.width) {}

  SequenceNetwork network;
  EmbeddingTable tokens;
};

void add_sequence_model(SafetensorsWriter& out, const Vocabulary& names, const SequenceModel& model);

// A checkpoint also has the optimizer and the position. Loading requires a model of the same shape and names, and an
// optimizer of the same kind that is bound to it; throws InputError if they differ.
void add_checkpoint(SafetensorsWriter& out, const Vocabulary& names, const SequenceModel& model, Optimizer& optimizer,
                    const TrainingPosition& position);
TrainingPosition load_checkpoint(const SafetensorsFile& in, const Vocabulary& names, SequenceModel& model,
                                 Optimizer& optimizer);

// The probability that each expression is true; the forms must be those that the model reads.
std::vector<float> sequence_probabilities(const SequenceModel& model, std::span<const NormalForm> forms,
                                          ThreadPool& threads);

class SequenceEquationModel : public NetworkEquationModel {
 public:
  SequenceEquationModel(Vocabulary names, SequenceModel model) : names_(std::move(names)), model_(std::move(model)) {}
  // Throws InputError if the file does not match.
  static SequenceEquationModel load(const SafetensorsFile& in);

  using EquationModel::probabilities;
  const Vocabulary& names() const override { return names_; }
  Form form() const override { return model_.network.options().form; }
  std::vector<float> probabilities(std::span<const NormalForm> forms, ThreadPool& threads) const override {
    return sequence_probabilities(model_, forms, threads);
  }
  void write(SafetensorsWriter& out) const override { add_sequence_model(out, names_, model_); }

 private:
  Vocabulary names_;
  SequenceModel model_;
};

}  // namespace linn
