#include "linn/recommend/model_registry.h"

#include <fmt/format.h>

#include "linn/base/error.h"
#include "linn/recommend/ease.h"
#include "linn/recommend/item_knn.h"
#include "linn/recommend/linn_recommender.h"
#include "linn/recommend/popularity.h"
#include "linn/recommend/query_model.h"

namespace linn {
namespace {

using Kind = RecommenderKind;

// Trained by epochs. A model's constructor takes the kind, the options, the histories and the context.
struct RankingEntry {
  Kind kind;
  std::unique_ptr<RankingModel> (*make)(Kind, const RecommendOptions&, const Histories&, Context&);
  std::unique_ptr<Recommender> (*load)(const SafetensorsFile&, const RecommenderHeader&);
};

// Fitted at once.
struct FittedEntry {
  Kind kind;
  std::unique_ptr<Recommender> (*fit)(const RecommendOptions&, const Histories&, ThreadPool&);
  std::unique_ptr<Recommender> (*load)(const SafetensorsFile&, const RecommenderHeader&);
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

std::unique_ptr<RankingModel> make_ranking_model(RecommenderKind kind, const RecommendOptions& options,
                                                 const Histories& histories, Context& context) {
  return entry_of(ranking_models(), kind).make(kind, options, histories, context);
}

std::unique_ptr<Recommender> fit_recommender(RecommenderKind kind, const RecommendOptions& options,
                                             const Histories& histories, Context& context) {
  return entry_of(fitted_models(), kind).fit(options, histories, context.pool());
}

LoadedRecommender load_recommender(const std::filesystem::path& path) {
  const SafetensorsFile in = SafetensorsFile::read(path);
  LoadedRecommender loaded;
  loaded.header = read_recommender_header(in);
  const Kind kind = loaded.header.kind;
  const auto load =
      trains_by_epochs(kind) ? entry_of(ranking_models(), kind).load : entry_of(fitted_models(), kind).load;
  loaded.model = load(in, loaded.header);
  return loaded;
}

}  // namespace linn
