// Every kind of recommender: how it is made, and how it is read from a file. The one place to add another.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "linn/base/context.h"
#include "linn/recommend/protocol/model_header.h"
#include "linn/recommend/protocol/ranking_model.h"

namespace linn {

// Streams of the context's randomness that models take; the order of the examples and their negatives have others.
enum RecommendStream : std::uint64_t { kInitialValueStream = 1, kPretrainingStream, kMemberStream = 1000 };

// A model with its initial values, to be trained by epochs; or an ensemble of such models, if the options ask for one.
// Throws InputError for options that do not fit together.
std::unique_ptr<TrainableRankingModel> make_ranking_model(RecommenderKind kind, const RecommendOptions& options,
                                                          const Histories& histories, Context& context);

// A model that needs no epochs, fitted to the training rows.
std::unique_ptr<RankingModel> fit_recommender(RecommenderKind kind, const RecommendOptions& options,
                                              const Histories& histories, Context& context);

struct LoadedRankingModel {
  std::unique_ptr<RankingModel> model;
  RecommenderHeader header;
};

// Throws InputError where the file is damaged, foreign, or holds no recommender.
LoadedRankingModel load_recommender(const std::filesystem::path& path);

}  // namespace linn
