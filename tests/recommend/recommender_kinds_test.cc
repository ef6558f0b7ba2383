// Options, presets and registry of the recommenders.
#include <gtest/gtest.h>

#include <set>

#include "linn/base/error.h"
#include "linn/recommend/learn_recommender.h"
#include "linn/recommend/linn/linn_recommender_options.h"
#include "linn/recommend/recommender_registry.h"
#include "support/random_interactions.h"
#include "support/temp_folder.h"
#include "support/toy_ranking_model.h"

namespace linn {
namespace {

constexpr DataSize kMl100k = {100'000, 943};
constexpr DataSize kElectronics = {1'689'188, 192'403};

std::unique_ptr<Settings> preset_of(std::string_view name, Preset preset, const DataSize& size = {100'000, 0}) {
  return recommender_registry().require(name).preset(preset, size);
}

TEST(RecommenderPresets, FollowThePaperAndTheAuthors) {
  const LinnRecommenderOptions paper = linn_recommender_preset(Preset::kPaper, kMl100k);
  EXPECT_EQ(paper.network.width, 64U);
  EXPECT_EQ(paper.network.gate_hidden(Gate::kAnd), 64U);
  EXPECT_FALSE(paper.network.gate.output_bias);
  EXPECT_EQ(paper.form, RecommendForm::kDnf);
  EXPECT_EQ(paper.bpr_on, BprOn::kScore);  // on Sim, training does not learn an order
  EXPECT_FALSE(paper.random_order);        // only in the laws
  EXPECT_EQ(paper.loss, RankingLoss::kBpr);
  EXPECT_EQ(paper.negatives, 1U);
  EXPECT_FLOAT_EQ(paper.law_weight, 1e-6F);
  EXPECT_FLOAT_EQ(paper.length_weight, 1e-4F);
  EXPECT_TRUE(paper.squared_length);
  EXPECT_FALSE(paper.count_occurrences);
  EXPECT_FLOAT_EQ(paper.dropout, 0.2F);
  EXPECT_DOUBLE_EQ(paper.optimizer.weight_decay, 2e-4);  // the gradient of 1e-4 times the squared norm
  EXPECT_DOUBLE_EQ(paper.optimizer.clip_value, 10.0);

  const LinnRecommenderOptions authors = linn_recommender_preset(Preset::kAuthors, kElectronics, 32);
  EXPECT_EQ(authors.network.gate_hidden(Gate::kAnd), 64U);
  EXPECT_TRUE(authors.network.gate.output_bias);
  EXPECT_EQ(authors.form, RecommendForm::kFactored);
  EXPECT_FALSE(authors.random_order);  // the oldest first
  EXPECT_EQ(authors.bpr_on, BprOn::kScore);
  EXPECT_FLOAT_EQ(authors.law_weight, 1e-5F);
  EXPECT_FLOAT_EQ(authors.length_weight, 1e-6F);
  EXPECT_FALSE(authors.squared_length);
  EXPECT_TRUE(authors.count_occurrences);
  EXPECT_FLOAT_EQ(authors.dropout, 0.0F);
  EXPECT_FALSE(authors.optimizer.decay_biases);

  EXPECT_EQ(preset_of("linn", Preset::kBest)->get("patience"), "20");
  EXPECT_EQ(preset_of("linn-rl", Preset::kBest)->get("laws"), "0");
  EXPECT_EQ(preset_of("narm", Preset::kPaper)->get("dislikes"), "none");
  EXPECT_EQ(preset_of("svdpp", Preset::kPaper)->get("history"), "0");
}

TEST(RecommenderPresets, HaveUserVectorsIfThereAreEnoughRatings) {
  const auto has = [](const DataSize& size, Preset preset = Preset::kBest) {
    return linn_clause_preset(preset, size).user_vectors;
  };
  EXPECT_TRUE(has(kMl100k));
  EXPECT_FALSE(has(kElectronics));
  EXPECT_FALSE(has({100'000, 0}));  // the number of users is unknown
  EXPECT_FALSE(has(kMl100k, Preset::kPaper));
}

TEST(RecommenderPresets, RegularizeLessIfThereIsMoreData) {
  const auto fold = [](std::size_t ratings) { return linn_recommender_preset(Preset::kBest, {ratings, 1000, 500}); };
  const LinnRecommenderOptions large = fold(1'000'000);
  EXPECT_EQ(large.form, RecommendForm::kFold);
  EXPECT_FLOAT_EQ(large.dropout, 0.2F);
  EXPECT_FLOAT_EQ(large.event_dropout, 0.2F);
  EXPECT_DOUBLE_EQ(large.optimizer.weight_decay, 0.0);
  EXPECT_EQ(large.module_init, ModuleInit::kGlorot);
  EXPECT_DOUBLE_EQ(large.optimizer.parameter_rate, 1.0);
  EXPECT_EQ(large.batch, 32U);
  const LinnRecommenderOptions medium = fold(100'000);
  EXPECT_FLOAT_EQ(medium.dropout, 0.4F);
  EXPECT_FLOAT_EQ(medium.event_dropout, 0.3F);
  EXPECT_DOUBLE_EQ(medium.optimizer.weight_decay, 1e-4);
  EXPECT_EQ(medium.module_init, ModuleInit::kLinear);
  EXPECT_DOUBLE_EQ(medium.optimizer.parameter_rate, 0.3);
  EXPECT_EQ(medium.batch, 16U);
  EXPECT_FLOAT_EQ(fold(5000).dropout, 0.6F);
  EXPECT_FLOAT_EQ(fold(5000).event_dropout, 0.0F);  // histories are short
  EXPECT_DOUBLE_EQ(fold(5000).optimizer.weight_decay, 3e-4);
  EXPECT_FLOAT_EQ(fold(1'000'000'000).dropout, 0.1F);
  EXPECT_EQ(preset_of("sasrec", Preset::kBest, {1'000'000, 1000, 500})->get("dropout"), "0.2");
}

TEST(RecommenderPresets, LearnFromHistoriesWhereThatSuitsKindAndData) {
  const auto train_on = [](std::string_view name, const DataSize& size, Preset preset = Preset::kBest) {
    return preset_of(name, preset, size)->get("train_on");
  };
  constexpr DataSize kRare = {50'000, 1000, 5000};     // 10 ratings per item
  constexpr DataSize kMedium = {50'000, 1000, 2000};   // 25
  constexpr DataSize kCommon = {100'000, 1000, 1500};  // 67
  constexpr DataSize kLarge = {1'000'000, 1000, 1500};
  for (const std::string_view name : {"sasrec", "gru4rec", "narm", "stamp"}) {
    EXPECT_EQ(train_on(name, kRare), name == "sasrec" ? "histories" : "likes") << name;
    EXPECT_EQ(train_on(name, kMedium), "likes") << name;
    EXPECT_EQ(train_on(name, kCommon), "likes") << name;
    EXPECT_EQ(train_on(name, kLarge), "histories") << name;
  }
  EXPECT_EQ(train_on("svdpp", {10'000, 1000, 300}), "histories");
  EXPECT_EQ(train_on("svdpp", kRare), "likes");
  EXPECT_EQ(train_on("svdpp", kLarge), "likes");
  EXPECT_EQ(train_on("sasrec", kRare, Preset::kPaper), "likes");
  EXPECT_EQ(train_on("sasrec", {50'000, 0, 0}), "likes");  // the number of items is unknown
}

// A stored run names its form; what an older program did not store has the default of that form.
TEST(RecommenderSettings, OfStoredRunsFollowTheirForm) {
  const RecommenderKind& linn = recommender_registry().require("linn");
  const auto settings = linn.stored_settings(NamedValues{{"form", "dnf"}, {"d", "8"}});
  EXPECT_EQ(settings->get("event_dropout"), "0");
  EXPECT_EQ(settings->get("module_init"), "normal");
  EXPECT_EQ(linn.stored_settings(NamedValues{{"form", "fold"}})->get("module_init"), "linear");
}

TEST(RecommenderSettings, SurviveARoundTripThroughText) {
  for (const RecommenderKind* kind : recommender_registry().kinds()) {
    for (const Preset preset : {Preset::kPaper, Preset::kAuthors, Preset::kBest}) {
      const auto settings = kind->preset(preset, {100'000, 0}, 48);
      // An empty text means that the table lacks the choice of the preset.
      for (const auto& [name, value] : settings->values()) EXPECT_FALSE(value.empty()) << kind->name() << " " << name;
      EXPECT_EQ(kind->stored_settings(settings->values())->values(), settings->values());
    }
  }
}

TEST(RecommenderSettings, AreOnlyThoseThatTheModelReads) {
  EXPECT_TRUE(preset_of("linn", Preset::kBest)->has("laws"));
  EXPECT_FALSE(preset_of("narm", Preset::kBest)->has("laws"));
  EXPECT_FALSE(preset_of("popularity", Preset::kBest)->has("epochs"));
  EXPECT_FALSE(preset_of("bprmf", Preset::kBest)->has("history"));
  EXPECT_THROW(preset_of("linn", Preset::kBest)->set("dislikes", "minus"), InputError);
  EXPECT_NO_THROW(preset_of("stamp", Preset::kBest)->set("dislikes", "minus"));
  EXPECT_THROW(preset_of("linn", Preset::kBest)->set("clause_order", "3"), InputError);
  EXPECT_THROW(preset_of("linn", Preset::kBest)->get("clause_odrer"), InputError);
}

TEST(RecommenderSettings, OldNamesAreStillRead) {
  const auto settings = recommender_registry().require("linn").stored_settings(
      NamedValues{{"flip_rate", "0.25"}, {"learn_flip_rate", "true"}});
  EXPECT_EQ(settings->get("label_noise"), "0.25");
  EXPECT_EQ(settings->get("learn_label_noise"), "true");
  for (const auto& [name, value] : settings->values()) EXPECT_EQ(name.find("flip"), std::string::npos);
}

TEST(RecommenderSettings, HiddenLayersScaleWithTheWidth) {
  const RecommenderKind& linn = recommender_registry().require("linn");
  const auto settings = linn.settings(Preset::kAuthors, {}, NamedValues{{"d", "24"}});
  EXPECT_EQ(settings->get("gate_hidden"), "48");
  EXPECT_EQ(linn.settings(Preset::kAuthors, {}, NamedValues{{"gate_hidden", "20"}, {"d", "24"}})->get("gate_hidden"),
            "20");
  EXPECT_THROW(recommender_registry().require("linn-rl").settings(Preset::kBest, {}, NamedValues{{"laws", "0.1"}}),
               InputError);
}

TEST(RecommenderRegistry, HasUniqueNamesAndSuggestsTheMostSimilar) {
  std::set<std::string_view> names;
  for (const RecommenderKind* kind : recommender_registry().kinds()) {
    EXPECT_TRUE(names.insert(kind->name()).second);
    EXPECT_EQ(recommender_registry().find(kind->name()), kind);
    EXPECT_GT(kind->cost(), 0.0);
  }
  EXPECT_EQ(names.size(), 11U);
  EXPECT_EQ(recommender_registry().find("toy"), nullptr);
  try {
    recommender_registry().require("sasrek");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(error.message().find("did you mean 'sasrec'"), std::string::npos) << error.message();
  }
}

// A new kind needs nothing but its definition to be trained into a run folder, resumed and loaded like all others.
TEST(RecommenderRegistry, AcceptsANewKind) {
  Registry<RecommenderKind> kinds;
  kinds.add(std::make_unique<ToyKind>());
  const RecommenderKind& toy = kinds.require("toy");
  const TempFolder folder;
  const InteractionData data = random_interactions({});
  const auto learn = [&](const char* epochs, bool resume) {
    const auto settings = toy.settings(Preset::kPaper, {}, NamedValues{{"epochs", epochs}, {"temperature", "2"}});
    const RunConfig config = {"recommend", "toy", "", 3, settings->values(), ""};
    RunPlace place;
    place.folder = folder / "run";
    place.resume = resume;
    Context context(3, 2);
    return learn_recommender(toy, *settings, config, data, place, context);
  };
  EXPECT_EQ(learn("4", false).report.epochs, 4U);
  const LearnedRecommender learned = learn("20", true);
  EXPECT_EQ(learned.report.epochs, 20U);
  EXPECT_EQ(learned.report.records.size(), 16U);

  const auto file = SafetensorsFile::read(RunFolder::open(folder / "run").model_path());
  EXPECT_THROW(load_recommender(file, recommender_registry()), InputError);
  const TrainedRecommender loaded = load_recommender(file, kinds);
  EXPECT_EQ(loaded.settings->get("temperature"), "2");
  ThreadPool threads(1);
  const std::vector<Event> history = {{0, true}, {1, false}};
  std::vector<float> scores(loaded.model->items());
  std::vector<float> expected(loaded.model->items());
  loaded.model->score_all({std::nullopt, history}, scores, threads);
  learned.recommender.model->score_all({std::nullopt, history}, expected, threads);
  EXPECT_EQ(scores, expected);
  EXPECT_EQ(learned.test.size(), data.users.size());
}

}  // namespace
}  // namespace linn
