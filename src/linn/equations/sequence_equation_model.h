// Models that answer equations by reading them as sequences of tokens: what the paper compares LINN with.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "linn/equations/equation_model.h"
#include "linn/equations/sequence_network.h"
#include "linn/equations/token_sequence.h"
#include "linn/model/logic_model.h"
#include "linn/model/safetensors.h"

namespace linn {

// A file holds a tensor for each matrix of the network, the vectors of the tokens as `tokens` (T, F, NOT, AND, OR, the
// two parentheses, then the variables), and in its metadata `model`, the shape (`network`, JSON) and the names.
struct SequenceModel {
  SequenceModel(const SequenceNetworkOptions& options, Vocabulary variable_names)
      : names(std::move(variable_names)), network(options), tokens("tokens", kMarks + names.size(), options.width) {}

  Vocabulary names;
  SequenceNetwork network;
  EmbeddingTable tokens;
};

void save_sequence_model(const SequenceModel& model, const std::filesystem::path& path, const ModelNotes& notes);

// Throws InputError where the file does not hold such a model.
SequenceModel load_sequence_model(const SafetensorsFile& in);

void save_checkpoint(const SequenceModel& model, Optimizer& optimizer, const TrainingPosition& position,
                     const std::filesystem::path& path);
// Fills a model of the same shape and names, and an optimizer of the same kind bound to it.
TrainingPosition load_checkpoint(SequenceModel& model, Optimizer& optimizer, const std::filesystem::path& path);

// How true a model thinks expressions are, brought to its form first.
std::vector<float> sequence_probabilities(const SequenceModel& model, ExpressionPool& pool,
                                          std::span<const Expr> expressions, ThreadPool& threads);

class SequenceEquationModel : public EquationModel {
 public:
  explicit SequenceEquationModel(SequenceModel model) : model_(std::move(model)) {}

  const Vocabulary& names() const override { return model_.names; }
  std::vector<float> probabilities(ExpressionPool& pool, std::span<const Expr> expressions,
                                   ThreadPool& threads) const override {
    return sequence_probabilities(model_, pool, expressions, threads);
  }
  void save(const std::filesystem::path& path, const ModelNotes& notes) const override {
    save_sequence_model(model_, path, notes);
  }

 private:
  SequenceModel model_;
};

}  // namespace linn
