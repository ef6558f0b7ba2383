// Models that read equations as sequences of tokens: what the paper compares LINN with.
#pragma once

#include <span>
#include <vector>

#include "linn/equations/equation_model.h"
#include "linn/equations/sequence_network.h"
#include "linn/equations/token_sequence.h"

namespace linn {

// A file holds a tensor for each matrix of the network, the vectors of the tokens as `tokens` (T, F, NOT, AND, OR, the
// two parentheses, then the variables), and in its metadata `model`, the shape (`network`, JSON) and the names.
struct SequenceModel {
  SequenceModel(const SequenceNetworkOptions& options, std::size_t variables)
      : network(options), tokens("tokens", kMarks + variables, options.width) {}

  SequenceNetwork network;
  EmbeddingTable tokens;
};

void add_sequence_model(SafetensorsWriter& out, const Vocabulary& names, const SequenceModel& model);

// A checkpoint also holds the optimizer and the position. Loading fills a model of the same shape and names, and an
// optimizer of the same kind bound to it; throws InputError where they differ.
void add_checkpoint(SafetensorsWriter& out, const Vocabulary& names, const SequenceModel& model, Optimizer& optimizer,
                    const TrainingPosition& position);
TrainingPosition load_checkpoint(const SafetensorsFile& in, const Vocabulary& names, SequenceModel& model,
                                 Optimizer& optimizer);

// How true a model thinks expressions in its form are.
std::vector<float> sequence_probabilities(const SequenceModel& model, std::span<const NormalForm> forms,
                                          ThreadPool& threads);

class SequenceEquationModel : public NetworkEquationModel {
 public:
  SequenceEquationModel(Vocabulary names, SequenceModel model) : names_(std::move(names)), model_(std::move(model)) {}
  // Throws InputError where the file does not hold such a model.
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
