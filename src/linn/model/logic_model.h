// A LINN with the names of its variables, as it is saved, loaded and resumed.
//
// A model file holds a tensor for each matrix of the modules (and.left, or.out, not.bias, ...), T as `true`, the
// vectors as `variables`, and in its metadata the shape of the network (`network`, JSON), the names (`vocabulary`, a
// JSON list) and whatever the caller adds. A checkpoint holds the same and the state of the optimizer and of the random
// numbers.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "linn/logic/vocabulary.h"
#include "linn/model/checkpoint.h"
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

void save_model(const LogicModel& model, const std::filesystem::path& path, const ModelNotes& notes = {});

// Throws InputError where the file is damaged, foreign, or does not hold such a model.
LogicModel load_model(const std::filesystem::path& path);

void save_checkpoint(const LogicModel& model, Optimizer& optimizer, const TrainingPosition& position,
                     const std::filesystem::path& path);

// Fills a model of the same shape and names, and an optimizer of the same kind bound to it. Throws InputError where
// they differ from those that were saved.
TrainingPosition load_checkpoint(LogicModel& model, Optimizer& optimizer, const std::filesystem::path& path);

}  // namespace linn
