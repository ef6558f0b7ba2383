#include "linn/recommend/protocol/recommend_options.h"

#include <gtest/gtest.h>

#include "linn/base/error.h"

namespace linn {
namespace {

using Kind = RecommenderKind;
constexpr std::size_t kMl100k = 100'000;
constexpr std::size_t kElectronics = 1'689'188;

TEST(RecommendPresets, FollowThePaperAndTheAuthors) {
  const RecommendOptions paper = recommend_preset(RecommendPreset::kPaper, Kind::kLinn, {kMl100k});
  EXPECT_EQ(paper.network.width, 64U);
  EXPECT_EQ(paper.network.gate_hidden(), 64U);
  EXPECT_FALSE(paper.network.gate.output_bias);
  EXPECT_EQ(paper.form, RecommendForm::kDnf);
  EXPECT_EQ(paper.bpr_on, BprOn::kScore);  // on Sim it does not learn an order
  EXPECT_FALSE(paper.random_order);        // but in the laws
  EXPECT_EQ(paper.loss, RankingLoss::kBpr);
  EXPECT_EQ(paper.negatives, 1U);
  EXPECT_FLOAT_EQ(paper.law_weight, 1e-6F);
  EXPECT_FLOAT_EQ(paper.length_weight, 1e-4F);
  EXPECT_TRUE(paper.squared_length);
  EXPECT_FALSE(paper.count_occurrences);
  EXPECT_FLOAT_EQ(paper.dropout, 0.2F);
  EXPECT_DOUBLE_EQ(paper.optimizer.weight_decay, 2e-4);  // the gradient of 1e-4 times the squared norm
  EXPECT_DOUBLE_EQ(paper.optimizer.clip_value, 10.0);

  const RecommendOptions authors = recommend_preset(RecommendPreset::kAuthors, Kind::kLinn, {kElectronics}, 32);
  EXPECT_EQ(authors.network.gate_hidden(), 64U);
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

  EXPECT_EQ(recommend_preset(RecommendPreset::kBest, Kind::kLinn, {kMl100k}).patience, 20U);
  EXPECT_FLOAT_EQ(recommend_preset(RecommendPreset::kBest, Kind::kLinnWithoutLaws, {kMl100k}).law_weight, 0.0F);
  EXPECT_EQ(recommend_preset(RecommendPreset::kPaper, Kind::kNarm, {kMl100k}).dislikes, DislikeMode::kNone);
  EXPECT_EQ(recommend_preset(RecommendPreset::kPaper, Kind::kSvdpp, {kMl100k}).window().length, 0U);
}

TEST(RecommendPresets, GiveUsersVectorsWhereTheyCanBeLearned) {
  const auto has = [](RatingCounts counts, RecommendPreset preset = RecommendPreset::kBest, Kind kind = Kind::kLinn) {
    return recommend_preset(preset, kind, counts).user_vectors;
  };
  EXPECT_TRUE(has({kMl100k, 943}));
  EXPECT_FALSE(has({kElectronics, 192'403}));
  EXPECT_FALSE(has({kMl100k, 0}));  // not known
  EXPECT_FALSE(has({kMl100k, 943}, RecommendPreset::kPaper));
  EXPECT_FALSE(has({kMl100k, 943}, RecommendPreset::kBest, Kind::kNarm));
}

TEST(RecommendOptionTable, EveryOptionComesBackFromItsText) {
  for (const RecommenderName& name : recommender_names()) {
    const auto table = recommend_option_table(name.kind);
    for (const auto preset : {RecommendPreset::kPaper, RecommendPreset::kAuthors, RecommendPreset::kBest}) {
      const RecommendOptions options = recommend_preset(preset, name.kind, {kMl100k}, 48);
      RecommendOptions copy;
      for (const auto& option : table.options()) {
        const std::string text = option.get(options);
        EXPECT_FALSE(text.empty()) << name.word << " " << option.name;  // a preset's choice must be one of the table's
        table.set(copy, option.name, text);
      }
      for (const auto& option : table.options()) EXPECT_EQ(option.get(copy), option.get(options)) << option.name;
    }
  }
}

TEST(RecommendOptionTable, HasWhatTheModelReadsAndNoMore) {
  EXPECT_NE(recommend_option_table(Kind::kLinn).find("laws"), nullptr);
  EXPECT_EQ(recommend_option_table(Kind::kNarm).find("laws"), nullptr);
  EXPECT_EQ(recommend_option_table(Kind::kPopularity).find("epochs"), nullptr);
  EXPECT_EQ(recommend_option_table(Kind::kBprmf).find("history"), nullptr);
  RecommendOptions options;
  EXPECT_THROW(recommend_option_table(Kind::kLinn).set(options, "dislikes", "minus"), InputError);
  EXPECT_NO_THROW(recommend_option_table(Kind::kStamp).set(options, "dislikes", "minus"));
  EXPECT_THROW(recommend_option_table(Kind::kLinn).set(options, "clause_order", "3"), InputError);
}

TEST(RecommenderNames, AreAllDifferent) {
  for (const RecommenderName& a : recommender_names()) {
    EXPECT_EQ(word_of(a.kind), a.word);
    for (const RecommenderName& b : recommender_names()) {
      if (&a != &b) EXPECT_TRUE(a.kind != b.kind && a.word != b.word);
    }
  }
}

}  // namespace
}  // namespace linn
