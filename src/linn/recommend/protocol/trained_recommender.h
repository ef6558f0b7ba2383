// A recommender as it is stored in a file: kind, settings, names of users and items, and model.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "linn/base/context.h"
#include "linn/model/safetensors.h"
#include "linn/recommend/protocol/ranking_model.h"
#include "linn/recommend/protocol/recommender_kind.h"

namespace linn {

// Everything except the model. The kind must outlive it.
struct RecommenderDescription {
  const RecommenderKind* kind = nullptr;
  std::unique_ptr<Settings> settings;
  Catalogue catalogue;
  std::map<std::string, std::string> notes = {};  // of the caller who trained it

  // Writes the entries `model`, `options`, `items`, `users`, `titles` and, if there are any, `notes` of the metadata.
  void write(SafetensorsWriter& out) const;
};

struct TrainedRecommender : RecommenderDescription {
  std::unique_ptr<RankingModel> model;

  // Writes the description and the tensors of the model. The writer keeps views of the model.
  void write(SafetensorsWriter& out) const;
};

// Of a stored recommender. Throws InputError if the file has none.
Catalogue read_catalogue(const SafetensorsFile& in);

// Throws InputError unless the file has a recommender of a registered kind.
TrainedRecommender load_recommender(const SafetensorsFile& in, const Registry<RecommenderKind>& kinds);
// The same for a file that is known to have a model of this kind.
TrainedRecommender load_recommender(const SafetensorsFile& in, const RecommenderKind& kind);

// A model with initial values or, if the settings ask for one, an ensemble of such models.
std::unique_ptr<TrainableRankingModel> make_ranking_model(const RecommenderKind& kind, const Settings& settings,
                                                          const Histories& histories, Context& context);

}  // namespace linn
