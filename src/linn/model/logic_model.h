// A LINN with the names of its variables, as it is saved, loaded and resumed.
//
// A model file holds a tensor for each matrix of the modules (and.left, or.out, not.bias, ...), T as `true`, the
// vectors as `variables`, and in its metadata the shape of the network (`network`, JSON), the names (`vocabulary`, a
// JSON list) and whatever the caller adds. A checkpoint holds the same and the state of the optimizer and of the random
// numbers.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "linn/logic/vocabulary.h"
#include "linn/model/checkpoint.h"
#include "linn/model/safetensors.h"
#include "linn/nn/embedding.h"
#include "linn/nn/logic_network.h"
#include "linn/optim/optimizer.h"

namespace linn {

struct LogicModel {
  LogicModel(const NetworkOptions& options, Vocabulary variable_names)
      : names(std::move(variable_names)), network(options), variables("variables", names.size(), options.width) {}

  Vocabulary names;
  LogicNetwork network;
  EmbeddingTable variables;
};

// More entries for a file's metadata, such as the configuration of the training.
using ModelNotes = std::map<std::string, std::string, std::less<>>;

// One network, or several of the same shape over the same variables, whose answers are averaged: then the tensors of
// member i have `i.` before their names. `members` in the metadata says how many there are.
void save_models(std::span<const LogicModel* const> models, const std::filesystem::path& path,
                 const ModelNotes& notes = {});

// Throws InputError if the file is damaged or does not hold such models.
std::vector<LogicModel> load_models(const SafetensorsFile& in);

// A checkpoint of networks in training, each with its optimizer.
struct TrainedModel {
  LogicModel* model;
  Optimizer* optimizer;
};
void save_checkpoint(std::span<const TrainedModel> models, const TrainingPosition& position,
                     const std::filesystem::path& path);

// Fills models of the same shape and names, and optimizers of the same kind bound to them. Throws InputError where they
// differ from those that were saved.
TrainingPosition load_checkpoint(std::span<const TrainedModel> models, const std::filesystem::path& path);

}  // namespace linn
