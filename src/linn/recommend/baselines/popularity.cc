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

void PopularityModel::add_values(SafetensorsWriter& out, const std::string& prefix) const {
  out.add(prefix + "likes", {likes_.size()}, std::span(likes_));
}

namespace {

class PopularityKind : public RecommenderKindOf<RankingOptions> {
 public:
  std::string_view name() const override { return "popularity"; }
  double cost() const override { return 5.0; }
  std::vector<std::string> search_ranges(Preset) const override { return {}; }

  std::unique_ptr<RankingModel> fit(const Settings&, const Histories& histories, Context&) const override {
    return std::make_unique<PopularityModel>(like_counts(histories));
  }
  std::unique_ptr<RankingModel> load(const Settings&, const SafetensorsFile& in, const Catalogue& catalogue,
                                     const std::string& prefix) const override {
    const auto likes = in.values<float>(prefix + "likes", {catalogue.items.size()});
    return std::make_unique<PopularityModel>(std::vector<float>(likes.begin(), likes.end()));
  }

 protected:
  RankingOptions options(Preset, const DataSize&, std::size_t) const override { return {}; }
  OptionTable<RankingOptions> table() const override { return ranking_option_table(); }
};

}  // namespace

std::unique_ptr<const RecommenderKind> popularity_kind() { return std::make_unique<PopularityKind>(); }

}  // namespace linn
