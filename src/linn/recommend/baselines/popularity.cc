// Recommends the items that most users liked in training, to everybody.

#include <cassert>
#include <utility>

#include "linn/recommend/baselines/baselines.h"
#include "linn/recommend/protocol/likes.h"

namespace linn {
namespace {

class PopularityModel : public RankingModel {
 public:
  explicit PopularityModel(std::vector<float> likes) : likes_(std::move(likes)) {}

  void score([[maybe_unused]] std::span<const Query> queries, std::span<const ItemId> items,
             [[maybe_unused]] std::size_t each, std::span<float> scores, ThreadPool& /*threads*/) const override {
    assert(items.size() == queries.size() * each && scores.size() == items.size());
    for (std::size_t i = 0; i < items.size(); ++i) scores[i] = likes_[items[i]];
  }
  std::size_t items() const override { return likes_.size(); }
  void add_values(SafetensorsWriter& out, const std::string& prefix) const override {
    out.add(prefix + "likes", {likes_.size()}, std::span(likes_));
  }

 private:
  std::vector<float> likes_;
};

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
