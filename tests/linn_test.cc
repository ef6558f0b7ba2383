#include "linn/linn.h"

#include <gtest/gtest.h>

#include <string>

#include "linn/base/error.h"
#include "linn/base/file.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

LearnOptions quick_options() { return {"authors", {{"d", "8"}, {"epochs", "30"}, {"learning_rate", "0.01"}}, 1, 1}; }

TEST(Reasoners, LearnAnswerAndComeBackFromTheirFile) {
  KnowledgeBase knowledge;
  for (int i = 0; i < 6; ++i) {
    knowledge.add("rain = T");
    knowledge.add("sun = F");
    knowledge.add("rain & !sun = T");
    knowledge.add("rain & sun = F");
  }
  EXPECT_EQ(knowledge.size(), 24U);
  const Reasoner reasoner = Reasoner::learn(knowledge, quick_options());
  EXPECT_GT(reasoner.truth_of("rain"), 0.5);
  EXPECT_LT(reasoner.truth_of("sun & rain"), 0.5);
  const auto variables = reasoner.variables();
  ASSERT_EQ(variables.size(), 2U);
  EXPECT_EQ(variables[0].name, "rain");
  EXPECT_GT(variables[0].truth, variables[1].truth);

  const TempFolder folder;
  reasoner.save(folder / "model.safetensors");
  EXPECT_DOUBLE_EQ(Reasoner::load(folder / "model.safetensors").truth_of("rain | sun"),
                   reasoner.truth_of("rain | sun"));
}

TEST(Reasoners, InferWhatFollows) {
  KnowledgeBase knowledge;
  EXPECT_THROW(Reasoner::infer(knowledge), InputError);
  for (const char* equation : {"rain & !umbrella -> wet = T", "rain = T", "umbrella = F", "wet -> cold = 0.8"}) {
    knowledge.add(equation);
  }
  const Reasoner reasoner = Reasoner::infer(knowledge);
  EXPECT_GT(reasoner.truth_of("wet & rain"), 0.98);
  EXPECT_LT(reasoner.truth_of("umbrella | !wet"), 0.02);
  EXPECT_NEAR(reasoner.truth_of("wet & cold"), 0.8, 0.05);
  EXPECT_LT(Reasoner::infer(knowledge, 0.2).truth_of("wet"), 0.99);  // any of them may be wrong
  EXPECT_THROW(Reasoner::infer(knowledge, 0.7), InputError);
  const TempFolder folder;
  reasoner.save(folder / "model.safetensors");
  EXPECT_DOUBLE_EQ(Reasoner::load(folder / "model.safetensors").truth_of("cold"), reasoner.truth_of("cold"));
}

TEST(Reasoners, RefuseWhatCannotBe) {
  KnowledgeBase knowledge;
  EXPECT_THROW(knowledge.add("rain"), InputError);  // no value
  EXPECT_THROW(knowledge.add("rain & = T"), InputError);
  EXPECT_THROW(Reasoner::learn(knowledge), InputError);  // nothing to learn from
  knowledge.add("rain = T");
  LearnOptions options = quick_options();
  options.preset = "none";
  EXPECT_THROW(Reasoner::learn(knowledge, options), InputError);
  options = quick_options();
  options.settings.emplace_back("depth", "3");
  EXPECT_THROW(Reasoner::learn(knowledge, options), InputError);
  const Reasoner reasoner = Reasoner::learn(knowledge, quick_options());
  EXPECT_THROW(reasoner.truth_of("snow"), InputError);  // not known
  EXPECT_THROW(reasoner.truth_of("rain &"), InputError);
}

TEST(KnowledgeBases, ReadFiles) {
  const TempFolder folder;
  write_file(folder / "weather.txt", "rain = T\n# a comment\nrain -> wet = 0.9\n");
  KnowledgeBase knowledge;
  knowledge.add_file(folder / "weather.txt");
  EXPECT_EQ(knowledge.size(), 2U);
}

TEST(Advisers, LearnRecommendExplainAndComeBack) {
  Ratings ratings;
  for (int user = 0; user < 40; ++user) {
    const std::string name = "user " + std::to_string(user);
    for (int step = 0; step < 8; ++step) {
      const int film = (user + step * (1 + user % 3)) % 6 + 6 * (user % 2);
      ratings.like(name, "film " + std::to_string(film));
    }
    ratings.dislike(name, "film " + std::to_string(6 - 6 * (user % 2)));
    ratings.dislike(name, "film " + std::to_string(user % 12));  // perhaps once more: the first counts
  }
  const Adviser adviser = Adviser::learn(ratings, quick_options());
  const auto advice = adviser.recommend("+film 1,-film 7", 3);
  ASSERT_EQ(advice.size(), 3U);
  EXPECT_GE(advice[0].score, advice[1].score);
  for (const Advice& each : advice) {
    EXPECT_NE(each.item, "film 1");
    EXPECT_NE(each.item, "film 7");
    EXPECT_EQ(each.reasons.size(), 2U);
  }
  const Advice why = adviser.explain("+film 1,-film 7", "film 2");
  EXPECT_EQ(why.item, "film 2");
  EXPECT_EQ(why.reasons.size(), 2U);
  EXPECT_THROW(adviser.explain("+film 1", "film 99"), InputError);
  EXPECT_THROW(adviser.recommend("+film 99"), InputError);

  const TempFolder folder;
  adviser.save(folder / "model.safetensors");
  const auto again = Adviser::load(folder / "model.safetensors").recommend("+film 1,-film 7", 3);
  ASSERT_EQ(again.size(), 3U);
  EXPECT_EQ(again[0].item, advice[0].item);
  EXPECT_DOUBLE_EQ(again[0].score, advice[0].score);
}

TEST(Advisers, NeedLikesWithAHistory) {
  Ratings ratings;
  EXPECT_THROW(Adviser::learn(ratings, quick_options()), InputError);
  ratings.like("anna", "Alien");
  EXPECT_THROW(Adviser::learn(ratings, quick_options()), InputError);
}

}  // namespace
}  // namespace linn
