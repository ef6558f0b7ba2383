#include "linn/recommend/linn/linn_recommender_options.h"

#include "linn/base/error.h"
#include "linn/recommend/linn/linn_recommender.h"

namespace linn {
namespace {

// The paper's smaller set has 100,000 ratings, the larger 1,689,188.
constexpr std::size_t kSmallSet = 500'000;
// Users have vectors from this many ratings per user on. With 106 (ML-100k) models rank better with vectors, with 39
// (Amazon video games) neither better nor worse, with 9 (generated users) worse.
constexpr std::size_t kRatingsPerUserVector = 50;

class LinnKind : public RecommenderKindOf<LinnRecommenderOptions> {
 public:
  std::string_view name() const override { return "linn"; }
  bool scores_are_logits() const override { return true; }
  double cost() const override { return 600.0; }

  std::vector<std::string> search_ranges(Preset) const override {
    auto ranges = gradient_search_ranges();
    ranges.emplace_back("laws=1e-7..1e-3:log");
    return ranges;
  }

  std::unique_ptr<TrainableRankingModel> make(const Settings& settings, const Histories& histories,
                                              Context& context) const override {
    return std::make_unique<LinnRecommender>(options_of<LinnRecommenderOptions>(settings), histories, context);
  }
  std::unique_ptr<RankingModel> load(const Settings& settings, const SafetensorsFile& in, const Catalogue& catalogue,
                                     const std::string& prefix) const override {
    return std::make_unique<LinnRecommender>(options_of<LinnRecommenderOptions>(settings), in, catalogue, prefix);
  }

 protected:
  LinnRecommenderOptions options(Preset preset, const DataSize& size, std::size_t width) const override {
    return linn_recommender_preset(preset, size, width);
  }
  OptionTable<LinnRecommenderOptions> table() const override { return linn_recommender_option_table(); }
};

class LinnWithoutLawsKind : public LinnKind {
 public:
  std::string_view name() const override { return "linn-rl"; }
  double cost() const override { return 250.0; }
  std::vector<std::string> search_ranges(Preset) const override { return gradient_search_ranges(); }

  void check(const Settings& settings) const override {
    LinnKind::check(settings);
    const auto& options = options_of<LinnRecommenderOptions>(settings);
    if (options.law_weight == 0.0F && options.pretrain.steps == 0) return;
    throw InputError("linn-rl is LINN without laws: laws and pretrain_steps must be 0");
  }

 protected:
  LinnRecommenderOptions options(Preset preset, const DataSize& size, std::size_t width) const override {
    LinnRecommenderOptions options = linn_recommender_preset(preset, size, width);
    options.law_weight = 0.0F;
    options.pretrain.steps = 0;  // pretraining would teach the laws
    return options;
  }
};

}  // namespace

OptionTable<LinnRecommenderOptions> linn_recommender_option_table() {
  OptionTable<LinnRecommenderOptions> table;
  table.include<HistoryOptions>(history_option_table({{"logic", DislikeMode::kLogic}, {"none", DislikeMode::kNone}}));
  table.choice<RecommendForm>("form", "How a history and an item form an expression",
                              {{"dnf", RecommendForm::kDnf}, {"factored", RecommendForm::kFactored}},
                              &LinnRecommenderOptions::form);
  table.integer("clause_order", "Maximum number of history items in a clause", 1, 2,
                &LinnRecommenderOptions::clause_order);
  table.choice<BprOn>("bpr_on", "What the loss on pairs compares",
                      {{"similarity", BprOn::kSimilarity}, {"score", BprOn::kScore}}, &LinnRecommenderOptions::bpr_on);
  table.flag("user_vectors", "Users known from training have a vector", &LinnRecommenderOptions::user_vectors);
  table.include<LogicOptions>(logic_option_table());
  table.include<EpochRankingOptions>(epoch_ranking_option_table());
  return table;
}

LinnRecommenderOptions linn_recommender_preset(Preset preset, const DataSize& size, std::size_t width) {
  const std::size_t d = width == 0 ? 64 : width;
  const bool small = size.rows <= kSmallSet;
  LinnRecommenderOptions options;
  apply_preset(preset, options);
  options.law_weight = small ? 1e-6F : 1e-5F;
  options.length_weight = small ? 1e-4F : 1e-6F;
  // Oldest event first. In the paper's text only the laws take operands in random order.
  options.random_order = false;
  switch (preset) {
    case Preset::kPaper:
      options.network = NetworkOptions::paper(d);
      // The text defines the loss on Sim. Training then ends with Sim = 1 for popular items and 0 for all others,
      // without an order among them; the program behind the paper's results compares scores.
      options.bpr_on = BprOn::kScore;
      break;
    case Preset::kAuthors:
      options.network = NetworkOptions::authors(d);
      options.form = RecommendForm::kFactored;
      options.bpr_on = BprOn::kScore;
      options.squared_length = false;
      options.count_occurrences = true;
      options.dropout = 0.0F;  // the authors' LINN has none
      break;
    case Preset::kBest:
      options.network = NetworkOptions::authors(d);
      options.negatives = 10;
      options.law_share = 0.01F;
      // A user's vector captures what the last events do not show, given enough ratings to learn it from.
      options.user_vectors = size.users > 0 && size.rows >= kRatingsPerUserVector * size.users;
      options.dropout = 0.4F;
      options.optimizer.weight_decay = 1e-4;
      break;
  }
  return options;
}

std::unique_ptr<const RecommenderKind> linn_kind() { return std::make_unique<LinnKind>(); }
std::unique_ptr<const RecommenderKind> linn_without_laws_kind() { return std::make_unique<LinnWithoutLawsKind>(); }

}  // namespace linn
