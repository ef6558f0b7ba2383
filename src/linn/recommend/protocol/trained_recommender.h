// A recommender with all that its file holds: the kind, the settings, the names of users and items, and the model.
#pragma once

#include <filesystem>
#include <memory>

#include "linn/base/context.h"
#include "linn/model/safetensors.h"
#include "linn/recommend/protocol/ranking_model.h"
#include "linn/recommend/protocol/recommender_kind.h"

namespace linn {

// What is known of a recommender before it has learned. The kind must outlive it.
struct RecommenderDescription {
  const RecommenderKind* kind = nullptr;
  std::unique_ptr<Settings> settings;
  Catalogue catalogue;

  // Entries `model`, `options`, `items`, `users`, `titles` of a file's metadata.
  void write(SafetensorsWriter& out) const;
};

struct TrainedRecommender : RecommenderDescription {
  std::unique_ptr<RankingModel> model;

  // The description and the tensors of the model. The writer keeps views: the model must stay until it has written.
  void write(SafetensorsWriter& out) const;
};

// Throws InputError where the file holds no recommender of a kind in the registry.
TrainedRecommender load_recommender(const SafetensorsFile& in, const Registry<RecommenderKind>& kinds);
// The same for a file that holds a model of this kind.
TrainedRecommender load_recommender(const SafetensorsFile& in, const RecommenderKind& kind);

// A model with its initial values or, if the settings ask for one, an ensemble of such models.
std::unique_ptr<TrainableRankingModel> make_ranking_model(const RecommenderKind& kind, const Settings& settings,
                                                          const Histories& histories, Context& context);

}  // namespace linn
