#include "linn/recommend/linn/linn_recommender_options.h"

#include "linn/base/error.h"
#include "linn/recommend/linn/fold_recommender.h"
#include "linn/recommend/linn/linn_recommender.h"

namespace linn {
namespace {

// Users have vectors from this many ratings per user on. With 106 (ML-100k) models rank better with vectors, with 39
// (Amazon video games) neither better nor worse, with 9 (generated users) worse.
constexpr std::size_t kRatingsPerUserVector = 50;

// Events are left out of histories from this many ratings per user on.
constexpr std::size_t kRatingsPerEventDropout = 20;

class LinnKind : public RecommenderKindOf<LinnRecommenderOptions> {
 public:
  std::string_view name() const override { return "linn"; }
  bool trains_on_devices() const override { return true; }
  // The fold is trained to choose among items: a constant added to all scores of a history changes nothing.
  bool scores_are_logits(const Settings& settings) const override {
    return options_of<LinnRecommenderOptions>(settings).form != RecommendForm::kFold;
  }
  double cost() const override { return 600.0; }

  std::vector<std::string> search_ranges(Preset preset) const override {
    auto ranges = gradient_search_ranges();
    ranges.emplace_back("laws=1e-7..1e-3:log");
    if (preset == Preset::kBest) ranges.emplace_back("event_dropout=0..0.6");
    return ranges;
  }

  std::unique_ptr<TrainableRankingModel> make(const Settings& settings, const Histories& histories,
                                              Context& context) const override {
    const auto& options = options_of<LinnRecommenderOptions>(settings);
    if (options.features && histories.categories().count() == 0) {
      throw InputError("features=true needs columns of categories, such as genres, in the table of items");
    }
    if (options.form == RecommendForm::kFold) return std::make_unique<FoldRecommender>(options, histories, context);
    return std::make_unique<LinnRecommender>(options, histories, context);
  }
  std::unique_ptr<RankingModel> load(const Settings& settings, const SafetensorsFile& in, const Catalogue& catalogue,
                                     const std::string& prefix) const override {
    const auto& options = options_of<LinnRecommenderOptions>(settings);
    if (options.form == RecommendForm::kFold) {
      return std::make_unique<FoldRecommender>(options, in, catalogue, prefix);
    }
    return std::make_unique<LinnRecommender>(options, in, catalogue, prefix);
  }

  std::unique_ptr<Settings> adapted(std::unique_ptr<Settings> settings, Preset preset, const DataSize& size,
                                    const Settings& asked) const override {
    const auto& own = options_of<LinnRecommenderOptions>(*settings);
    const bool fold = options_of<LinnRecommenderOptions>(asked).form == RecommendForm::kFold;
    if (fold == (own.form == RecommendForm::kFold)) return settings;
    if (preset != Preset::kBest) throw InputError("form=fold is not in the preset " + std::string(preset_name(preset)));
    const std::size_t width = own.network.width;
    return std::make_unique<SettingsOf<LinnRecommenderOptions>>(
        with_laws(fold ? linn_fold_preset(size, width) : linn_clause_preset(Preset::kBest, size, width)), table());
  }

  void check(const Settings& settings) const override {
    RecommenderKindOf::check(settings);
    const auto& options = options_of<LinnRecommenderOptions>(settings);
    if (options.module_init == ModuleInit::kLinear && !can_start_linear(options.network)) {
      throw InputError(
          "module_init=linear needs or_structure=left_residual with gate_depth=1 and gate_activation=relu, and "
          "and_structure=product or mlp_product");
    }
    if (options.form == RecommendForm::kFold) {
      check_fold(options);
    } else if (options.event_dropout > 0.0F) {
      throw InputError("event_dropout needs form=fold");
    }
  }

 protected:
  bool learns_from_histories(const LinnRecommenderOptions& options) const override {
    return options.form == RecommendForm::kFold;
  }
  LinnRecommenderOptions options(Preset preset, const DataSize& size, std::size_t width) const override {
    return with_laws(linn_recommender_preset(preset, size, width));
  }
  // The options with the laws that the kind has.
  virtual LinnRecommenderOptions with_laws(LinnRecommenderOptions options) const { return options; }
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
  LinnRecommenderOptions with_laws(LinnRecommenderOptions options) const override {
    options.law_weight = 0.0F;
    options.pretrain.steps = 0;  // pretraining would teach the laws
    return options;
  }
};

}  // namespace

OptionTable<LinnRecommenderOptions> linn_recommender_option_table() {
  OptionTable<LinnRecommenderOptions> table;
  table.include<HistoryOptions>(history_option_table({{"logic", DislikeMode::kLogic}, {"none", DislikeMode::kNone}}));
  table.choice<RecommendForm>(
      "form", "How a history and an item form an expression",
      {{"dnf", RecommendForm::kDnf}, {"factored", RecommendForm::kFactored}, {"fold", RecommendForm::kFold}},
      &LinnRecommenderOptions::form);
  table.integer("clause_order", "Maximum number of history items in a clause", 1, 2,
                &LinnRecommenderOptions::clause_order);
  table.choice<BprOn>("bpr_on", "What loss=bpr compares",
                      {{"similarity", BprOn::kSimilarity}, {"score", BprOn::kScore}}, &LinnRecommenderOptions::bpr_on);
  table.number("event_dropout", "Fold: share of events left out of training histories at random", 0.0, 0.95,
               &LinnRecommenderOptions::event_dropout);
  table.choice<ModuleInit>(
      "module_init", "Initial values of the modules: of deviation init, scaled to their sizes, or nearly linear",
      {{"normal", ModuleInit::kNormal}, {"glorot", ModuleInit::kGlorot}, {"linear", ModuleInit::kLinear}},
      &LinnRecommenderOptions::module_init);
  table.flag("user_vectors", "Users known from training have a vector", &LinnRecommenderOptions::user_vectors);
  table.flag("features", "Items without training events get a vector made from their categories",
             &LinnRecommenderOptions::features);
  table.include<LogicOptions>(logic_option_table());
  table.include<EpochRankingOptions>(epoch_ranking_option_table());
  return table;
}

LinnRecommenderOptions linn_recommender_preset(Preset preset, const DataSize& size, std::size_t width) {
  if (preset == Preset::kBest) return linn_fold_preset(size, width);
  return linn_clause_preset(preset, size, width);
}

LinnRecommenderOptions linn_clause_preset(Preset preset, const DataSize& size, std::size_t width) {
  const std::size_t d = width == 0 ? 64 : width;
  const bool small = !is_large(size);
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

LinnRecommenderOptions linn_fold_preset(const DataSize& size, std::size_t width) {
  LinnRecommenderOptions options;
  apply_history_preset(size, options);
  options.form = RecommendForm::kFold;
  options.history = 200;
  options.network = NetworkOptions::paper(width == 0 ? 64 : width);
  options.network.gate.hidden = 2 * options.network.width;
  options.network.and_structure = Structure::kProduct;
  options.network.or_structure = Structure::kLeftResidual;
  options.network.similarity = SimilarityKind::kDot;
  if (is_large(size)) {
    options.module_init = ModuleInit::kGlorot;  // takes longer, but gets further
  } else {
    // Modules that learn more slowly than vectors stay near the start, of which little data cannot better every detail.
    options.module_init = ModuleInit::kLinear;
    options.optimizer.parameter_rate = 0.3;
    options.batch = 16;
  }
  options.init = 0.1F;
  options.random_order = false;
  options.law_weight = 1e-5F;
  options.law_share = 0.01F;
  options.length_weight = 0.0F;
  // Of a short history, events that are left out take the reasons of its likes with them.
  if (size.rows >= kRatingsPerEventDropout * size.users) options.event_dropout = 0.1F + options.dropout / 2.0F;
  options.optimizer.learning_rate = 4e-3;
  return options;
}

std::unique_ptr<const RecommenderKind> linn_kind() { return std::make_unique<LinnKind>(); }
std::unique_ptr<const RecommenderKind> linn_without_laws_kind() { return std::make_unique<LinnWithoutLawsKind>(); }

}  // namespace linn
