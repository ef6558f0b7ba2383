// What the model files of all recommenders have in common: which kind it is, what it was told, and the names of users
// and items, all in the metadata.
#pragma once

#include <filesystem>

#include "linn/model/safetensors.h"
#include "linn/recommend/protocol/ranking_model.h"
#include "linn/recommend/protocol/recommend_options.h"

namespace linn {

struct RecommenderHeader {
  RecommenderKind kind = RecommenderKind::kPopularity;
  RecommendOptions options;
  Catalogue catalogue;
};

// Entries `model`, `options`, `items`, `users`, `titles`, and the notes.
void write_recommender_header(SafetensorsWriter& out, RecommenderKind kind, const RecommendOptions& options,
                              const Catalogue& catalogue, const ModelNotes& notes);

// Throws InputError naming the file.
RecommenderHeader read_recommender_header(const SafetensorsFile& in);

}  // namespace linn
