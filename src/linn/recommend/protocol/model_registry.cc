#include "linn/recommend/protocol/model_registry.h"

#include <fmt/format.h>

#include "linn/base/error.h"
#include "linn/recommend/baselines/ease.h"
#include "linn/recommend/baselines/item_knn.h"
#include "linn/recommend/baselines/popularity.h"
#include "linn/recommend/baselines/query_model.h"
#include "linn/recommend/linn/linn_recommender.h"
#include "linn/recommend/protocol/ranking_ensemble.h"

namespace linn {
namespace {

using Kind = RecommenderKind;

// Trained by epochs. A model's constructor takes the kind, the options, the histories and the context; in a file its
// tensors may have something before their names.
struct RankingEntry {
  Kind kind;
  std::unique_ptr<TrainableRankingModel> (*make)(Kind, const RecommendOptions&, const Histories&, Context&);
  std::unique_ptr<TrainableRankingModel> (*load)(const SafetensorsFile&, const RecommenderHeader&,
                                                 const std::string& prefix);
};

// Fitted at once.
struct FittedEntry {
  Kind kind;
  std::unique_ptr<RankingModel> (*fit)(const RecommendOptions&, const Histories&, ThreadPool&);
  std::unique_ptr<RankingModel> (*load)(const SafetensorsFile&, const RecommenderHeader&);
};

const std::vector<RankingEntry>& ranking_models() {
  static const std::vector<RankingEntry> entries = {
      {Kind::kLinn, make_linn, load_linn},
      {Kind::kLinnWithoutLaws, make_linn, load_linn},
      {Kind::kBprmf, make_query_model, load_query_model},
      {Kind::kSvdpp, make_query_model, load_query_model},
      {Kind::kStamp, make_query_model, load_query_model},
      {Kind::kGru4rec, make_query_model, load_query_model},
      {Kind::kNarm, make_query_model, load_query_model},
      {Kind::kSasrec, make_query_model, load_query_model},
  };
  return entries;
}

const std::vector<FittedEntry>& fitted_models() {
  static const std::vector<FittedEntry> entries = {
      {Kind::kPopularity, fit_popularity, load_popularity},
      {Kind::kItemKnn, fit_item_knn, load_item_knn},
      {Kind::kEase, fit_ease, load_ease},
  };
  return entries;
}

template <class Entry>
const Entry& entry_of(const std::vector<Entry>& entries, Kind kind) {
  for (const Entry& entry : entries) {
    if (entry.kind == kind) return entry;
  }
  throw InputError(fmt::format("there is no way to make a model '{}' like this", word_of(kind)));
}

}  // namespace

std::unique_ptr<TrainableRankingModel> make_ranking_model(RecommenderKind kind, const RecommendOptions& options,
                                                          const Histories& histories, Context& context) {
  const auto make = entry_of(ranking_models(), kind).make;
  if (options.ensemble == 1) return make(kind, options, histories, context);
  std::vector<std::unique_ptr<TrainableRankingModel>> members;
  for (std::size_t i = 0; i < options.ensemble; ++i) {
    Context own(context.random(kMemberStream + i).next());
    members.push_back(make(kind, options, histories, own));
  }
  return std::make_unique<RankingEnsemble>(kind, options, std::move(members));
}

std::unique_ptr<RankingModel> fit_recommender(RecommenderKind kind, const RecommendOptions& options,
                                              const Histories& histories, Context& context) {
  return entry_of(fitted_models(), kind).fit(options, histories, context.pool());
}

LoadedRankingModel load_recommender(const std::filesystem::path& path) {
  const SafetensorsFile in = SafetensorsFile::read(path);
  LoadedRankingModel loaded;
  loaded.header = read_recommender_header(in);
  const Kind kind = loaded.header.kind;
  if (!trains_by_epochs(kind)) {
    loaded.model = entry_of(fitted_models(), kind).load(in, loaded.header);
    return loaded;
  }
  const auto load = entry_of(ranking_models(), kind).load;
  const RecommendOptions& options = loaded.header.options;
  if (options.ensemble == 1) {
    loaded.model = load(in, loaded.header, {});
    return loaded;
  }
  std::vector<std::unique_ptr<TrainableRankingModel>> members;
  for (std::size_t i = 0; i < options.ensemble; ++i) {
    members.push_back(load(in, loaded.header, RankingEnsemble::prefix_of(i)));
  }
  loaded.model = std::make_unique<RankingEnsemble>(kind, options, std::move(members));
  return loaded;
}

}  // namespace linn
