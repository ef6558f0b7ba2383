// A LINN with the names of its variables, as saved, loaded and resumed.
//
// A model file contains a tensor for each matrix of the modules (and.left, or.out, not.bias, ...), T as `true`, the
// embeddings as `variables`, and in its metadata the shape of the network (`network`, JSON), the names (`vocabulary`, a
// JSON list) and what the caller adds. A checkpoint also contains the states of the optimizer and of the random number
// generator.
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

// Additional metadata of a file, such as the configuration of the training.
using ModelNotes = std::map<std::string, std::string, std::less<>>;

// Saves one network, or several of the same shape over the same variables, whose answers are averaged: then the tensor
// names of member i start with `i.`. The metadata entry `members` gives their number.
void save_models(std::span<const LogicModel* const> models, const std::filesystem::path& path,
                 const ModelNotes& notes = {});
void save_model(const LogicModel& model, const std::filesystem::path& path, const ModelNotes& notes = {});

// Both throw InputError if the file is damaged, foreign, or does not contain such models; load_model also if it
// contains several.
std::vector<LogicModel> load_models(const SafetensorsFile& in);
LogicModel load_model(const std::filesystem::path& path);

// A network in training with its optimizer, for checkpoints.
struct TrainedModel {
  LogicModel* model;
  Optimizer* optimizer;
};
void save_checkpoint(std::span<const TrainedModel> models, const TrainingPosition& position,
                     const std::filesystem::path& path);
void save_checkpoint(LogicModel& model, Optimizer& optimizer, const TrainingPosition& position,
                     const std::filesystem::path& path);

// Restores models of the same shape and names, and optimizers of the same kind bound to them. Throws InputError if they
// differ from those that were saved.
TrainingPosition load_checkpoint(std::span<const TrainedModel> models, const std::filesystem::path& path);
TrainingPosition load_checkpoint(LogicModel& model, Optimizer& optimizer, const std::filesystem::path& path);

}  // namespace linn
