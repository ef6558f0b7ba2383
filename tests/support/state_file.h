// Saves and loads the training state of a recommender.
#pragma once

#include <filesystem>

#include "linn/model/safetensors.h"
#include "linn/recommend/protocol/ranking_model.h"

namespace linn {

inline void save_state(TrainableRankingModel& model, const std::filesystem::path& path) {
  SafetensorsWriter out;
  model.add_state(out, {});
  out.write(path);
}

inline void load_state(TrainableRankingModel& model, const std::filesystem::path& path) {
  model.read_state(SafetensorsFile::read(path), {});
}

}  // namespace linn
