#include "linn/recommend/baselines/popularity.h"

#include <cassert>

namespace linn {

std::vector<float> like_counts(const Histories& histories) {
  std::vector<float> likes(histories.items(), 0.0F);
  for (UserId user = 0; user < histories.users(); ++user) {
    for (const Event& event : histories.training_events(user)) {
      if (event.liked) likes[event.item] += 1.0F;
    }
  }
  return likes;
}

void PopularityModel::score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each,
                            std::span<float> scores, ThreadPool& /*threads*/) const {
  assert(items.size() == queries.size() * each && scores.size() == items.size());
  static_cast<void>(queries);
  static_cast<void>(each);
  for (std::size_t i = 0; i < items.size(); ++i) scores[i] = likes_[items[i]];
}

void PopularityModel::save(const std::filesystem::path& path, const Catalogue& catalogue,
                           const ModelNotes& notes) const {
  SafetensorsWriter out;
  write_recommender_header(out, RecommenderKind::kPopularity, options_, catalogue, notes);
  out.add("likes", {likes_.size()}, std::span(likes_));
  out.write(path);
}

std::unique_ptr<RankingModel> fit_popularity(const RecommendOptions& options, const Histories& histories,
                                             ThreadPool& /*threads*/) {
  return std::make_unique<PopularityModel>(like_counts(histories), options);
}

std::unique_ptr<RankingModel> load_popularity(const SafetensorsFile& in, const RecommenderHeader& header) {
  const auto likes = in.values<float>("likes", {header.catalogue.items.size()});
  return std::make_unique<PopularityModel>(std::vector<float>(likes.begin(), likes.end()), header.options);
}

}  // namespace linn
