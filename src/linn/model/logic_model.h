// A LINN with the vectors of its variables, as it is saved, loaded and resumed.
//
// A model file holds a tensor for each matrix of the modules (and.left, or.out, not.bias, ...), T as `true`, the
// vectors as `variables`, and in its metadata the shape of the network (`network`, JSON), the names of the variables
// (`vocabulary`, a JSON list) and whatever the caller adds. A checkpoint also holds the state of the optimizer and of
// the random numbers.
#pragma once

#include <span>
#include <vector>

#include "linn/logic/vocabulary.h"
#include "linn/model/checkpoint.h"
#include "linn/model/safetensors.h"
#include "linn/nn/embedding.h"
#include "linn/nn/logic_network.h"
#include "linn/optim/optimizer.h"

namespace linn {

struct LogicModel {
  LogicModel(const NetworkOptions& options, std::size_t variable_count)
      : network(options), variables("variables", variable_count, options.width) {}

  LogicNetwork network;
  EmbeddingTable variables;
};

// One network, or an ensemble of the same shape over the same variables, whose answers are averaged.
struct LogicEnsemble {
  Vocabulary names;  // of the variables
  std::vector<LogicModel> members;
};

// The tensors of several networks are told apart by their names: those of member i begin with "i.". `members` in the
// metadata says how many there are. The writer keeps views: the models must stay until it has written.
void add_models(SafetensorsWriter& out, const Vocabulary& names, std::span<const LogicModel* const> models);
// Throws InputError where the file does not hold such models.
LogicEnsemble load_models(const SafetensorsFile& in);

// Networks in training, each with its optimizer.
struct TrainedModel {
  LogicModel* model;
  Optimizer* optimizer;
};
void add_checkpoint(SafetensorsWriter& out, const Vocabulary& names, std::span<const TrainedModel> models,
                    const TrainingPosition& position);
// Fills models of the same shape and names, and optimizers of the same kind bound to them. Throws InputError where they
// differ from those that were saved.
TrainingPosition load_checkpoint(const SafetensorsFile& in, const Vocabulary& names,
                                 std::span<const TrainedModel> models);

}  // namespace linn
