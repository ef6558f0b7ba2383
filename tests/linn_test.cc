// The public interface, as a C++ program uses it.
#include "linn/linn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>
#include <string>

#include "linn/base/file.h"
#include "linn/base/random.h"
#include "support/at_once.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

constexpr std::size_t kThreads = 8;

LearnOptions quick_options() {
  return {
      .preset = "authors", .settings = {{"d", 8}, {"epochs", 30}, {"learning_rate", 0.01}}, .seed = 1, .threads = 1};
}

KnowledgeBase weather() {
  KnowledgeBase knowledge;
  for (int i = 0; i < 20; ++i) {
    knowledge.add("rain = T");
    knowledge.add("sun = F");
    knowledge.add("rain & !sun = T");
    knowledge.add("rain & sun", 0.0);
  }
  return knowledge;
}

TEST(Reasoners, LearnAnswerAndComeBackFromTheirFile) {
  const KnowledgeBase knowledge = weather();
  EXPECT_EQ(knowledge.size(), 80U);
  EXPECT_EQ(knowledge.variables(), (std::vector<std::string>{"rain", "sun"}));
  const Reasoner reasoner = Reasoner::learn(knowledge, quick_options());
  EXPECT_GT(reasoner.truth_of("rain"), 0.9);
  EXPECT_LT(reasoner.truth_of("sun & rain"), 0.1);
  const auto variables = reasoner.variables();
  ASSERT_EQ(variables.size(), 2U);
  EXPECT_EQ(variables[0].name, "rain");
  EXPECT_GT(variables[0].truth, 0.6);
  EXPECT_LT(variables[1].truth, 0.4);
  EXPECT_EQ(reasoner.width(), 8U);
  EXPECT_EQ(reasoner.vectors().size(), 2U * 8U);

  EXPECT_EQ(reasoner.training().epochs, 30U);
  EXPECT_FALSE(reasoner.training().cancelled);
  EXPECT_EQ(reasoner.training().history.size(), 30U);
  EXPECT_GE(reasoner.training().validation.at("accuracy"), 0.9);
  EXPECT_GT(reasoner.training().history[0].loss, reasoner.training().history[29].loss);

  const TempFolder folder;
  reasoner.save(folder / "model.safetensors");
  const Reasoner loaded = Reasoner::load(folder / "model.safetensors");
  EXPECT_EQ(loaded.truth_of("rain | sun"), reasoner.truth_of("rain | sun"));
  EXPECT_EQ(loaded.training().epochs, 0U);
}

TEST(Reasoners, TellTheClausesThatTheNetworkReads) {
  const Reasoner reasoner = Reasoner::learn(weather(), quick_options());
  const std::vector<std::string> expressions = {"rain & !sun", "rain -> sun", "T", "F", "rain & !rain"};
  const Reasoner::Clauses clauses = reasoner.clauses_of(expressions);
  EXPECT_TRUE(clauses.disjunctive);
  EXPECT_EQ(clauses.expressions, (std::vector<std::uint32_t>{0, 1, 3, 4, 4, 5}));
  EXPECT_EQ(clauses.clauses, (std::vector<std::uint32_t>{0, 2, 3, 4, 4, 6}));
  EXPECT_EQ(clauses.literals, (std::vector<std::uint32_t>{0, 3, 1, 2, 0, 1}));
  expect_input_error([&] { reasoner.clauses_of(std::vector<std::string>{"rain", "snow"}); }, 2, 0, "snow");
  KnowledgeBase knowledge;
  knowledge.add("rain = T");
  EXPECT_THROW(Reasoner::infer(knowledge).clauses_of(expressions), InputError);
}

TEST(Reasoners, TellHowWellTheyObeyTheLaws) {
  const Reasoner reasoner = Reasoner::learn(weather(), quick_options());
  const std::vector<std::string> expressions = {"rain & !sun", "rain | sun", "!sun"};
  const std::vector<Reasoner::Law> laws = reasoner.audit(expressions, 100);
  EXPECT_EQ(std::ranges::count_if(laws, &Reasoner::Law::taught), 10);
  for (const Reasoner::Law& law : laws) {
    EXPECT_NE(law.left, law.right);
    for (const Reasoner::Law::Figures& figures : {law.variables, law.expressions}) {
      EXPECT_GT(figures.cases, 0U) << law.name;
      EXPECT_GE(figures.agreement, 0.0);
      EXPECT_LE(figures.agreement, 1.0);
      EXPECT_LE(figures.difference, 1.0);
    }
  }
  EXPECT_EQ(reasoner.audit()[0].expressions.cases, 0U);
  EXPECT_EQ(reasoner.audit({}, 50, 1)[0].variables.agreement, reasoner.audit({}, 50, 1, 2)[0].variables.agreement);
  expect_input_error([&] { reasoner.audit(std::vector<std::string>{"rain", "snow"}); }, 2, 0, "snow");
  EXPECT_THROW(Reasoner::infer(weather()).audit(), InputError);
}

TEST(Reasoners, LearnFromFolders) {
  const TempFolder folder;
  const std::string rows = "expression\tlabel\nrain & !sun\t1\nsun\t0\nrain | sun\t1\n";
  std::filesystem::create_directory(folder / "data");
  for (const char* part : {"train.tsv", "validation.tsv", "test.tsv"}) write_file(folder / "data" / part, rows);
  const Reasoner reasoner = Reasoner::learn_folder(folder / "data", quick_options());
  EXPECT_EQ(reasoner.variables().size(), 2U);
  EXPECT_EQ(reasoner.training().validation.count("accuracy"), 1U);
  EXPECT_GT(reasoner.truth_of("rain"), reasoner.truth_of("sun"));
  EXPECT_THROW(Reasoner::learn_folder(folder / "nothing", quick_options()), InputError);
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
  EXPECT_TRUE(reasoner.vectors().empty());
  const TempFolder folder;
  reasoner.save(folder / "model.safetensors");
  EXPECT_DOUBLE_EQ(Reasoner::load(folder / "model.safetensors").truth_of("cold"), reasoner.truth_of("cold"));
}

TEST(Reasoners, EveryModelAnswers) {
  const KnowledgeBase knowledge = weather();
  for (const std::string& model : reasoner_models()) {
    LearnOptions options = quick_options();
    options.model = model;
    if (model == "exact" || model == "majority") options.settings.clear();
    const double rain = Reasoner::learn(knowledge, options).truth_of("rain & !sun");
    EXPECT_TRUE(rain > 0.5 || model == "majority") << model << " " << rain;
  }
}

TEST(Reasoners, RefuseWhatCannotBe) {
  KnowledgeBase knowledge;
  EXPECT_THROW(knowledge.add("rain"), InputError);  // no value
  EXPECT_THROW(knowledge.add("rain & = T"), InputError);
  EXPECT_THROW(knowledge.add("rain", 1.5), InputError);
  EXPECT_EQ(knowledge.size(), 0U);
  EXPECT_THROW(Reasoner::learn(knowledge), InputError);  // nothing to learn from
  knowledge.add("rain = T");
  const auto learn = [&](const std::function<void(LearnOptions&)>& change) {
    LearnOptions options = quick_options();
    change(options);
    Reasoner::learn(knowledge, options);
  };
  expect_input_error([&] { learn([](LearnOptions& o) { o.preset = "none"; }); }, 0, 0, "preset must be one of best");
  expect_input_error([&] { learn([](LearnOptions& o) { o.model = "lin"; }); }, 0, 0, "did you mean 'linn'");
  expect_input_error([&] { learn([](LearnOptions& o) {
                             o.settings.insert({"epoch", 3});
                           }); }, 0, 0,
                     "did you mean 'epochs'");
  expect_input_error([&] { learn([](LearnOptions& o) { o.settings.insert_or_assign("epochs", -1); }); }, 0, 0,
                     "epochs must be a whole number");
  const Reasoner reasoner = Reasoner::learn(knowledge, quick_options());
  expect_input_error([&] { reasoner.truth_of("snow"); }, 1, 1, "does not know the variable snow");
  expect_input_error([&] { reasoner.truth_of("rain &"); }, 1, 7, "");
  const std::vector<std::string> many = {"rain", "!rain", "rain &"};
  expect_input_error([&] { reasoner.truth_of(many); }, 3, 7, "");  // the third
}

TEST(Reasoners, ManyExpressionsAtOnceAreAnsweredAsOneByOne) {
  const Reasoner reasoner = Reasoner::learn(weather(), quick_options());
  std::vector<std::string> expressions;
  for (int i = 0; i < 1500; ++i) {  // several parts
    expressions.push_back(i % 3 == 0 ? "rain | !sun" : i % 3 == 1 ? "(sun | rain) & !(sun & rain)" : "!rain");
  }
  const std::vector<double> one = reasoner.truth_of(expressions, 1);
  EXPECT_EQ(reasoner.truth_of(expressions, 3), one);
  EXPECT_EQ(reasoner.truth_of(expressions), one);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(one[static_cast<std::size_t>(i)], reasoner.truth_of(expressions[static_cast<std::size_t>(i)]));
  EXPECT_TRUE(reasoner.truth_of(std::vector<std::string>()).empty());
}

TEST(KnowledgeBases, ReadFiles) {
  const TempFolder folder;
  write_file(folder / "weather.txt", "rain = T\n# a comment\nrain -> wet = 0.9\n");
  KnowledgeBase knowledge;
  knowledge.add_file(folder / "weather.txt");
  EXPECT_EQ(knowledge.size(), 2U);
}

TEST(KnowledgeBases, AddNothingThatIsInvalid) {
  KnowledgeBase knowledge;
  knowledge.add("a = T");
  EXPECT_THROW(knowledge.add("b & c & = T"), InputError);
  EXPECT_THROW(knowledge.add("b & c = 2"), InputError);
  EXPECT_THROW(knowledge.add("b & c &", 0.5), InputError);
  const TempFolder folder;
  write_file(folder / "broken.txt", "b = T\nc & = F\n");
  EXPECT_THROW(knowledge.add_file(folder / "broken.txt"), InputError);
  EXPECT_EQ(knowledge.size(), 1U);
  EXPECT_EQ(knowledge.variables(), std::vector<std::string>{"a"});
  write_file(folder / "whole.txt", "b = T\na & c = F\n");
  knowledge.add_file(folder / "whole.txt");
  EXPECT_EQ(knowledge.size(), 3U);
  EXPECT_EQ(knowledge.variables(), (std::vector<std::string>{"a", "b", "c"}));
}

TEST(Normalize, GivesBothForms) {
  EXPECT_EQ(normalize("a -> b"), "!a | b");
  EXPECT_EQ(normalize("a & (b | c)", "dnf"), "(a & b) | (a & c)");
  EXPECT_EQ(normalize("a | (b & c)", "cnf"), "(a | b) & (a | c)");
  expect_input_error([] { normalize("a &"); }, 1, 4, "");
  EXPECT_THROW(normalize("a", "xnf"), InputError);
}

std::string film(int number) { return "film " + std::to_string(number); }

// Two kinds of users: one likes the films 0 to 5 and dislikes some of 6 to 11, the other the other way round, both in
// random order.
Interactions two_tastes(int first = 0, int last = 40) {
  Interactions interactions;
  for (int user = first; user < last; ++user) {
    const std::string name = "user " + std::to_string(user);
    const int own = 6 * (user % 2);
    Random random(static_cast<std::uint64_t>(user));
    std::vector<int> likes = {0, 1, 2, 3, 4, 5};
    std::vector<int> dislikes = likes;
    random.shuffle(std::span(likes));
    random.shuffle(std::span(dislikes));
    for (std::size_t step = 0; step < likes.size(); ++step) {
      interactions.like(name, film(own + likes[step]));
      if (step % 2 == 0) interactions.dislike(name, film(6 - own + dislikes[step]));
    }
    interactions.dislike(name, film(own + likes[0]));  // once more: the first counts
  }
  for (int i = 0; i < 12; ++i) interactions.set_title(film(i), "The Title of " + std::to_string(i));
  return interactions;
}

LearnOptions recommender_options(const std::string& model = "linn") {
  LearnOptions options = quick_options();
  options.model = model;
  options.preset = "best";
  options.settings = {{"epochs", 60}, {"d", 8}, {"learning_rate", 0.02}, {"batch", 16}, {"dropout", 0.1}};
  if (!model.starts_with("linn")) options.settings.emplace("negatives", 3);  // LINN chooses among all items
  return options;
}

// A random order would put the films of the own kind first once in 462 times.
void expect_own_taste(const Recommender& recommender, const std::string& model) {
  for (const bool second : {false, true}) {
    const int own = second ? 6 : 0;
    const RecommendationQuery query{
        .history = History{{film(own), true}, {film(7 - own), false}, {film(own + 1), true}},
        .count = 4,
        .explain = false};
    const auto best = recommender.recommend(query);
    ASSERT_EQ(best.size(), 4U);
    std::set<std::string> items;
    for (const Recommendation& each : best) {
      const int number = std::stoi(each.item.substr(5));
      EXPECT_EQ(number / 6, own / 6) << model << " recommends " << each.item;
      EXPECT_TRUE(items.insert(each.item).second);
      EXPECT_EQ(each.title, "The Title of " + std::to_string(number));
    }
  }
}

TEST(Recommenders, LearnRecommendExplainAndComeBack) {
  const Recommender recommender = Recommender::learn(two_tastes(), recommender_options());
  expect_own_taste(recommender, "linn");
  EXPECT_EQ(recommender.model(), "linn");
  EXPECT_EQ(recommender.items().size(), 12U);
  EXPECT_EQ(recommender.users().size(), 40U);
  EXPECT_GT(recommender.training().validation.at("ndcg@10"), 0.5);
  EXPECT_FALSE(recommender.training().history.empty());

  const RecommendationQuery query{.history = parse_history("+film 1,-\"The Title of 7\""), .count = 3};
  const auto best = recommender.recommend(query);
  ASSERT_EQ(best.size(), 3U);
  EXPECT_GE(best[0].score, best[1].score);
  for (const Recommendation& each : best) {
    EXPECT_NE(each.item, film(1));
    EXPECT_NE(each.item, film(7));
    EXPECT_EQ(each.because.size(), 2U);
    EXPECT_FALSE(each.probability.has_value());  // LINN chooses among items
    EXPECT_GE(each.because[0].effect, each.because[1].effect);
    for (const auto& reason : each.because) EXPECT_TRUE(reason.weight.has_value());
  }
  const Recommendation why = recommender.explain(query, best[0].title);
  EXPECT_EQ(why.item, best[0].item);
  EXPECT_EQ(why.score, best[0].score);
  EXPECT_EQ(why.words, best[0].words);
  const std::vector<std::string> items = {best[2].item, best[0].item};
  EXPECT_EQ(recommender.score(query, items), (std::vector<double>{best[2].score, best[0].score}));

  const TempFolder folder;
  recommender.save(folder / "model.safetensors");
  const Recommender loaded = Recommender::load(folder / "model.safetensors");
  EXPECT_EQ(loaded.recommend(query)[0].item, best[0].item);
  EXPECT_EQ(loaded.recommend(query)[0].score, best[0].score);
  EXPECT_EQ(loaded.titles(), recommender.titles());
}

TEST(Recommenders, LearnMore) {
  const Recommender first = Recommender::learn(two_tastes(0, 30), recommender_options());
  // Everybody who likes the films 0 to 5 comes to like a new one, some new users among them.
  Interactions later;
  for (int user = 10; user < 40; user += 2) {
    for (const int liked : {0, 1, 2, 3, 4, 5}) later.like("user " + std::to_string(user), film(liked));
    later.like("user " + std::to_string(user), "new film");
  }
  LearnOptions options;
  options.settings = {{"epochs", 20}, {"replay", 1.0}};  // there is little data, and all of it is about one taste
  const Recommender second = first.learn_more(later, options);
  EXPECT_EQ(first.items().size(), 12U);
  EXPECT_EQ(second.items().size(), 13U);
  EXPECT_EQ(second.users().size(), 35U);
  EXPECT_EQ(second.training().epochs, 20U);
  expect_own_taste(second, "linn");
  const RecommendationQuery query{.history = parse_history("+film 0,+film 1,+film 2,+film 3,+film 4,+film 5"),
                                  .count = 1};
  EXPECT_EQ(second.recommend(query)[0].item, "new film");
  // The earlier events of a known user are still known, and so are the later ones.
  for (const Recommendation& next : second.recommend({.user = "user 10", .count = 20})) {
    EXPECT_NE(next.item, "new film");
    EXPECT_NE(next.item, film(0));
  }
  EXPECT_FALSE(second.recommend({.user = "user 38", .count = 1}).empty());

  const TempFolder folder;
  first.save(folder / "model.safetensors");
  const Recommender loaded = Recommender::load(folder / "model.safetensors");
  expect_input_error([&] { loaded.learn_more(later); }, 0, 0, "loaded without histories");
  expect_input_error([&] { first.learn_more(Interactions()); }, 0, 0, "no interactions");
}

// Users whom the data folder has gained since the training are not the new users who come later.
TEST(Recommenders, LearnMoreWithoutUsersGainedByTheDataFolder) {
  const TempFolder folder;
  write_file(folder / "train.tsv",
             "user\titem\tlabel\ttime\nu\ta\t1\t1\nu\tb\t1\t2\nu\tc\t1\t3\nv\tb\t1\t1\nv\ta\t1\t2\n");
  LearnOptions options = recommender_options();
  options.settings.insert_or_assign("epochs", 1);
  options.folder = folder / "run";
  Recommender::learn_folder(folder.path(), options);
  std::string text = read_file(folder / "train.tsv");
  for (int i = 0; i < 300; ++i) text += "gained" + std::to_string(i) + "\tc\t1\t1\n";
  write_file(folder / "train.tsv", text);
  const Recommender loaded = Recommender::load(folder / "run", true);
  Interactions later;
  later.like("later", "a");
  later.like("later", "b");
  LearnOptions more;
  more.settings = {{"epochs", 1}};
  const Recommender second = loaded.learn_more(later, more);
  EXPECT_EQ(second.users(), (std::vector<std::string>{"u", "v", "later"}));
  const auto next = second.recommend({.user = "later", .count = 3});
  ASSERT_EQ(next.size(), 1U);
  EXPECT_EQ(next[0].item, "c");
}

TEST(Recommenders, ClausesHaveProbabilities) {
  LearnOptions options = recommender_options();
  options.settings = {{"form", "dnf"}, {"epochs", 3}, {"d", 8}};
  const Recommender recommender = Recommender::learn(two_tastes(), options);
  for (const Recommendation& each : recommender.recommend({.history = parse_history("+film 1")})) {
    ASSERT_TRUE(each.probability.has_value());
    EXPECT_NEAR(*each.probability, 1.0 / (1.0 + std::exp(-each.score)), 1e-6);
  }
}

TEST(Recommenders, EveryModelLearnsTheTaste) {
  const Interactions interactions = two_tastes();
  EXPECT_EQ(recommender_models().size(), 11U);
  for (const std::string& model : recommender_models()) {
    LearnOptions options = recommender_options(model);
    const bool fitted = model == "ease" || model == "itemknn" || model == "popularity";
    if (fitted) options.settings.clear();
    const Recommender recommender = Recommender::learn(interactions, options);
    EXPECT_EQ(recommender.model(), model);
    // Popularity knows nobody's taste, and BPRMF nothing of a new user.
    if (model != "popularity" && model != "bprmf") expect_own_taste(recommender, model);
  }
}

TEST(Recommenders, KnowTheirUsersAndFilter) {
  const Recommender recommender = Recommender::learn(two_tastes(), recommender_options());
  // The history of a known user is that of the data: six likes and three dislikes.
  const auto known = recommender.recommend({.user = "user 3", .count = 100});
  EXPECT_EQ(known.size(), 12U - 6U - 3U);
  EXPECT_THROW(recommender.recommend({.user = "nobody"}), InputError);
  EXPECT_THROW(recommender.recommend(RecommendationQuery()), InputError);
  EXPECT_EQ(recommender.recommend({.history = History{{film(1)}}, .user = "nobody"}).size(), 10U);

  RecommendationQuery query{.history = History{{film(1)}}, .count = 4};
  const auto all = recommender.recommend(query);
  query.exclude = {all[0].item, all[2].item, "not a film"};
  const auto left = recommender.recommend(query);
  ASSERT_EQ(left.size(), 4U);  // still as many
  EXPECT_EQ(left[0].item, all[1].item);
  EXPECT_EQ(left[1].item, all[3].item);
  query.exclude.clear();
  query.only = {film(1), film(4), film(8), film(4)};
  const auto chosen = recommender.recommend(query);
  ASSERT_EQ(chosen.size(), 2U);  // film 1 was seen
  EXPECT_EQ(chosen[0].item, film(4));
  query.include_seen = true;
  EXPECT_EQ(recommender.recommend(query).size(), 3U);
  query.only = std::vector<std::string>();
  EXPECT_TRUE(recommender.recommend(query).empty());

  EXPECT_THROW(recommender.recommend({.history = History{{"film 99"}}}), InputError);
  EXPECT_EQ(recommender.recommend({.history = History{{"film 99"}, {film(1)}}, .skip_unknown = true}).size(), 10U);
  EXPECT_THROW(recommender.explain(query, "film 99"), InputError);
  expect_input_error([] { parse_history("+a,,b"); }, 0, 4, "");
}

TEST(Recommenders, ManyQueriesAtOnceAreAnsweredAsOneByOne) {
  const Recommender recommender = Recommender::learn(two_tastes(), recommender_options());
  std::vector<RecommendationQuery> queries;
  for (int i = 0; i < 30; ++i) queries.push_back({.history = History{{film(i % 12)}, {film((i + 5) % 12), false}}});
  const auto together = recommender.recommend(queries, 2);
  ASSERT_EQ(together.size(), 30U);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto alone = recommender.recommend(queries[i]);
    ASSERT_EQ(alone.size(), together[i].size());
    for (std::size_t k = 0; k < alone.size(); ++k) {
      EXPECT_EQ(alone[k].item, together[i][k].item);
      EXPECT_EQ(alone[k].score, together[i][k].score);
    }
  }
  queries[17].history->push_back({"film 99"});
  expect_input_error([&] { recommender.recommend(queries); }, 18, 0, "film 99");
}

TEST(Recommenders, HistoriesInColumnsAreAnsweredAsOneByOne) {
  const Recommender recommender = Recommender::learn(two_tastes(), recommender_options());
  const std::vector<std::int64_t> starts = {0, 2, 2, 5};
  const std::vector<std::uint32_t> items = {3, 7, 1, 9, 1};  // an item twice: the first counts
  const std::vector<std::uint8_t> liked = {1, 0, 1, 1, 0};
  const std::vector<std::uint32_t> exclude = {2};
  RecommendationColumns columns{.starts = starts, .items = items, .liked = liked, .count = 11, .exclude = exclude};
  std::vector<std::int64_t> found(3 * 11);
  std::vector<double> scores(3 * 11);
  recommender.recommend(columns, found, scores);
  const auto expect_same = [&](std::size_t i, const RecommendationQuery& query) {
    const auto alone = recommender.recommend(query);
    for (std::size_t k = 0; k < columns.count; ++k) {
      const std::size_t at = i * columns.count + k;
      if (k >= alone.size()) {
        EXPECT_EQ(found[at], -1);
        EXPECT_TRUE(std::isnan(scores[at]));
        continue;
      }
      ASSERT_GE(found[at], 0);
      EXPECT_EQ(recommender.items()[static_cast<std::size_t>(found[at])], alone[k].item);
      EXPECT_EQ(scores[at], alone[k].score);
    }
  };
  const auto& names = recommender.items();
  const std::vector<History> histories = {
      {{names[3]}, {names[7], false}}, {}, {{names[1]}, {names[9]}, {names[1], false}}};
  for (std::size_t i = 0; i < 3; ++i) {
    expect_same(i, {.history = histories[i], .count = 11, .exclude = {names[2]}, .explain = false});
  }
  const std::vector<double> scores_on_all_cores = scores;
  recommender.recommend(columns, found, scores, 1);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    EXPECT_TRUE(scores[i] == scores_on_all_cores[i] || std::isnan(scores[i]));
  }

  // The histories of known users, and a choice of items.
  const std::vector<std::int64_t> users = {3, 0, 5};
  const std::vector<std::uint32_t> only = {1, 4, 8, 4};
  columns = {.users = users, .count = 11, .only = only, .include_seen = true};
  recommender.recommend(columns, found, scores);
  for (std::size_t i = 0; i < 3; ++i) {
    expect_same(i, {.user = recommender.users()[static_cast<std::size_t>(users[i])],
                    .count = 11,
                    .only = std::vector<std::string>{names[1], names[4], names[8]},
                    .include_seen = true,
                    .explain = false});
  }
}

TEST(Recommenders, RefuseColumnsThatDoNotFit) {
  const Recommender recommender = Recommender::learn(two_tastes(), {.model = "popularity"});
  const std::vector<std::int64_t> starts = {0, 1, 2};
  const std::vector<std::uint32_t> items = {3, 7};
  std::vector<std::int64_t> found(2 * 10);
  std::vector<double> scores(2 * 10);
  const auto ask = [&](const std::function<void(RecommendationColumns&)>& change) {
    RecommendationColumns columns{.starts = starts, .items = items};
    change(columns);
    recommender.recommend(columns, found, scores);
  };
  ask([](RecommendationColumns&) {});
  const std::vector<std::int64_t> falling = {0, 2, 1}, far = {0, 1, 3}, negative = {-1, 1, 2}, three = {0, 0, 0};
  const std::vector<std::int64_t> beyond = {0, 40}, unknown = {0, -1};
  const std::vector<std::uint32_t> no_item = {3, 12};
  const std::vector<std::uint8_t> one = {1};
  for (const auto& wrong : {falling, far, negative}) {
    expect_input_error([&] { ask([&](RecommendationColumns& c) { c.starts = wrong; }); }, 0, 0, "increasing places");
  }
  expect_input_error([&] { ask([&](RecommendationColumns& c) { c.items = no_item; }); }, 2, 0, "no item");
  expect_input_error([&] { ask([&](RecommendationColumns& c) { c.liked = one; }); }, 0, 0, "likes and dislikes");
  expect_input_error([&] { ask([&](RecommendationColumns& c) { c.users = three; }); }, 0, 0, "as many users");
  expect_input_error([&] { ask([&](RecommendationColumns& c) { c.users = beyond; }); }, 0, 0, "no user");
  expect_input_error([&] { ask([&](RecommendationColumns& c) { c.exclude = no_item; }); }, 0, 0, "no item");
  expect_input_error([&] { ask([&](RecommendationColumns& c) { c.only = no_item; }); }, 0, 0, "no item");
  expect_input_error([&] { ask([&](RecommendationColumns& c) { c.count = 9; }); }, 0, 0, "`count` places");
  expect_input_error(
      [&] {
        ask([&](RecommendationColumns& c) {
          c.starts = {};
          c.users = unknown;
        });
      },
      2, 0, "history or a user");
}

TEST(Recommenders, TakeInteractionsInColumns) {
  const std::vector<std::string> users = {"ben", "anna"}, items = {"Alien", "Grease", "Solaris", "never rated"};
  const std::vector<std::uint32_t> user = {1, 0, 1, 0, 1}, item = {0, 1, 2, 0, 1};
  const std::vector<std::uint8_t> liked = {1, 1, 1, 0, 0};
  const std::vector<std::int64_t> time = {3, 1, 2, 2, 1};
  Interactions columns;
  columns.add({users, items, user, item, liked, time});
  EXPECT_EQ(columns.size(), 5U);
  const LearnOptions ease = {.model = "ease", .threads = 1};
  const Recommender from_columns = Recommender::learn(columns, ease);
  EXPECT_EQ(from_columns.users(), users);
  EXPECT_EQ(from_columns.items(), items);
  Interactions singly;
  for (std::size_t i = 0; i < user.size(); ++i) singly.add(users[user[i]], items[item[i]], liked[i] != 0, time[i]);
  const RecommendationQuery query{.history = History{{"Alien"}}, .explain = false};
  EXPECT_NEAR(from_columns.recommend(query)[0].score, Recommender::learn(singly, ease).recommend(query)[0].score, 1e-5);

  const std::vector<std::string> invalid = {"Alien", "Grease", "", "x"};
  const std::vector<std::uint32_t> beyond = {0, 1, 2, 0, 4};
  const auto expect_refused = [&](const InteractionColumns& wrong, const std::string& file, std::size_t line) {
    try {
      columns.add(wrong);
      FAIL() << "should be refused";
    } catch (const InputError& error) {
      EXPECT_EQ(error.place().file, file);
      EXPECT_EQ(error.place().line, line);
    }
    EXPECT_EQ(columns.size(), 5U);
  };
  expect_refused({users, invalid, user, item}, "item", 3);
  expect_refused({users, items, user, beyond}, "item", 5);
  expect_refused({invalid, items, item, item}, "user", 3);
  expect_refused({users, items, user, std::span(item).first(4)}, "", 0);
  expect_refused({users, items, user, item, std::span(liked).first(4)}, "", 0);
}

TEST(Recommenders, AreSavedAsRunsWithNotesAndHistories) {
  const TempFolder folder;
  LearnOptions options = recommender_options();
  options.settings.insert_or_assign("epochs", 4);
  options.notes = {{"ids", "of \"films\""}, {"empty", ""}};
  const Recommender recommender = Recommender::learn(two_tastes(), options);
  EXPECT_EQ(recommender.notes(), options.notes);
  recommender.save_run(folder / "run");
  recommender.save_run(folder / "run");  // in its place
  std::filesystem::rename(folder / "run", folder / "moved");
  const Recommender loaded = Recommender::load(folder / "moved", true);
  EXPECT_EQ(loaded.notes(), options.notes);
  EXPECT_EQ(loaded.evaluate(), recommender.evaluate());
  const RecommendationQuery query{.user = "user 3", .explain = false};
  EXPECT_EQ(loaded.recommend(query)[0].score, recommender.recommend(query)[0].score);
  loaded.save_run(folder / "again");
  EXPECT_EQ(Recommender::load(folder / "again", true).evaluate(), recommender.evaluate());
  EXPECT_EQ(read_file(folder / "moved" / "metrics.jsonl").empty(), false);

  recommender.save(folder / "model.safetensors");
  const Recommender alone = Recommender::load(folder / "model.safetensors");
  EXPECT_EQ(alone.notes(), options.notes);
  EXPECT_THROW(alone.evaluate(), InputError);
  std::filesystem::create_directory(folder / "mine");
  write_file(folder / "mine" / "file", "of mine");
  EXPECT_THROW(recommender.save_run(folder / "mine"), InputError);
}

TEST(Recommenders, AreEvaluatedOnWhatWasHeldBack) {
  const Recommender recommender = Recommender::learn(two_tastes(), recommender_options());
  EXPECT_EQ(recommender.evaluate(), recommender.training().validation);
  EXPECT_EQ(recommender.evaluate({.candidates = 0}).at("count"), 40.0);
  Interactions few;
  few.like("anna", "Alien");
  few.like("anna", "Solaris");
  EXPECT_THROW(Recommender::learn(few, {.model = "popularity"}).evaluate(), InputError);
}

TEST(Recommenders, AreEvaluatedOnOtherData) {
  const Recommender recommender = Recommender::learn(two_tastes(0, 30), recommender_options());
  const auto metrics = recommender.evaluate(two_tastes(30, 40), {.candidates = 0});
  EXPECT_EQ(metrics.at("count"), 10.0);
  EXPECT_GT(metrics.at("auc"), 0.8);
  EXPECT_EQ(recommender.evaluate(two_tastes(30, 40), {.candidates = 0, .threads = 1}), metrics);
  // Held-out likes and the items they are ranked among can be chosen.
  const std::vector<std::string> one = {recommender.items()[0], recommender.items()[1], "not a film"};
  EXPECT_THROW(recommender.evaluate(two_tastes(30, 40), {.only = one}), InputError);
  double count = 0.0;
  for (const std::string& film : recommender.items()) {
    try {
      count += recommender.evaluate(two_tastes(30, 40), {.only = std::vector<std::string>{film}}).at("count");
    } catch (const InputError&) {
      continue;  // nobody's last like
    }
    EXPECT_EQ(recommender.evaluate(two_tastes(30, 40), {.only = std::vector<std::string>{film}}).at("hit@1"), 1.0);
  }
  EXPECT_EQ(count, 10.0);
  EXPECT_THROW(recommender.evaluate(two_tastes(30, 40), {.exclude = recommender.items()}), InputError);
  Interactions nothing;
  nothing.like("anna", "another film");
  EXPECT_THROW(recommender.evaluate(nothing), InputError);
}

TEST(Recommenders, TakeTimesAndValidationData) {
  Interactions shuffled;
  Interactions ordered;
  for (int user = 0; user < 12; ++user) {
    const std::string name = "user " + std::to_string(user);
    for (int step = 0; step < 7; ++step) ordered.like(name, film((user + step) % 12));
    for (int step = 6; step >= 0; --step) shuffled.add(name, film((user + step) % 12), true, 100 + step);
  }
  Interactions validation;
  for (int user = 0; user < 12; ++user) validation.like("user " + std::to_string(user), film((user + 8) % 12));
  // The items are numbered as they are met: only the answers of a model without initial values are the same.
  const LearnOptions ease = {.model = "ease", .threads = 1};
  const RecommendationQuery query{.user = "user 3", .count = 12, .explain = false};
  const auto first = Recommender::learn(ordered, ease).recommend(query);
  const auto second = Recommender::learn(shuffled, ease).recommend(query);
  ASSERT_EQ(first.size(), 5U);
  ASSERT_EQ(second.size(), 5U);
  std::map<std::string, double> scores;
  for (const Recommendation& each : first) scores[each.item] = each.score;
  for (const Recommendation& each : second) EXPECT_NEAR(scores.at(each.item), each.score, 1e-5) << each.item;

  const Recommender with = Recommender::learn(ordered, validation, ease);
  EXPECT_EQ(with.training().validation.at("count"), 12.0);
}

TEST(Recommenders, KnowNoInvalidInteractions) {
  Interactions interactions;
  interactions.like("anna", "Alien");
  EXPECT_THROW(interactions.like("ben", ""), InputError);
  EXPECT_THROW(interactions.like("", "Solaris"), InputError);
  EXPECT_THROW(interactions.set_title("Solaris", "\xff"), InputError);
  EXPECT_EQ(interactions.size(), 1U);
  const Recommender recommender = Recommender::learn(interactions, {.model = "popularity", .threads = 1});
  EXPECT_EQ(recommender.users(), std::vector<std::string>{"anna"});
  EXPECT_EQ(recommender.items(), std::vector<std::string>{"Alien"});
}

TEST(Recommenders, NeedLikesWithAHistory) {
  Interactions interactions;
  EXPECT_THROW(Recommender::learn(interactions, recommender_options()), InputError);
  interactions.like("anna", "Alien");
  EXPECT_THROW(Recommender::learn(interactions, recommender_options()), InputError);
  EXPECT_THROW(interactions.like("", "Alien"), InputError);
  EXPECT_EQ(interactions.size(), 1U);
}

TEST(Learning, ReportsProgressAndCanBeCancelled) {
  LearnOptions options = quick_options();
  std::size_t steps = 0;
  std::vector<TrainedEpoch> epochs;
  options.progress = [&](const TrainingProgress& progress) {
    EXPECT_EQ(progress.stage, "training");
    EXPECT_EQ(progress.done, ++steps);
    return epochs.size() < 3;
  };
  options.epoch = [&](const TrainedEpoch& epoch) { epochs.push_back(epoch); };
  const Reasoner reasoner = Reasoner::learn(weather(), options);
  EXPECT_TRUE(reasoner.training().cancelled);
  EXPECT_EQ(reasoner.training().epochs, 3U);
  ASSERT_EQ(epochs.size(), 3U);
  EXPECT_EQ(epochs[2].epoch, 3U);
  EXPECT_EQ(epochs[2].validation.count("accuracy"), 1U);
  EXPECT_GE(reasoner.truth_of("rain"), 0.0);  // the best so far answers
}

TEST(Learning, CancelledInPretrainingDoesNotTrain) {
  LearnOptions options = {.settings = {{"d", 8U}, {"pretrain_steps", 50L}, {"dropout", 0.25F}}, .threads = 1};
  std::set<std::string> stages;
  options.progress = [&](const TrainingProgress& progress) {
    stages.insert(std::string(progress.stage));
    return progress.stage != "pretraining" || progress.done != 3;  // once false, then true again
  };
  const Reasoner reasoner = Reasoner::learn(weather(), options);
  EXPECT_TRUE(reasoner.training().cancelled);
  EXPECT_EQ(reasoner.training().epochs, 0U);
  EXPECT_EQ(stages.count("pretraining"), 1U);
}

TEST(Learning, IntoAFolderCanBeResumedToTheSameBits) {
  const TempFolder folder;
  const Interactions interactions = two_tastes();
  LearnOptions options = recommender_options();
  const RecommendationQuery query{.history = History{{film(1)}, {film(7), false}}, .explain = false};
  const auto score = [&](const Recommender& recommender) { return recommender.recommend(query)[0].score; };
  const double straight = score(Recommender::learn(interactions, options));  // in memory

  options.folder = folder / "run";
  std::size_t epochs = 0;
  options.epoch = [&](const TrainedEpoch&) { ++epochs; };
  options.progress = [&](const TrainingProgress&) { return epochs < 4; };
  EXPECT_TRUE(Recommender::learn(interactions, options).training().cancelled);
  EXPECT_THROW(Recommender::learn(interactions, options), InputError);  // there is a run already
  options.progress = nullptr;
  options.resume = true;
  LearnOptions other = options;
  other.settings.insert_or_assign("d", 9);
  expect_input_error([&] { Recommender::learn(interactions, other); }, 0, 0, "started with d '8', not '9'");
  const Recommender resumed = Recommender::learn(interactions, options);
  EXPECT_LT(resumed.training().history.size(), resumed.training().epochs);  // not from the start
  EXPECT_EQ(score(resumed), straight);
  EXPECT_EQ(score(Recommender::load(folder / "run")), straight);
  EXPECT_THROW(Reasoner::load(folder / "run"), InputError);
}

TEST(Learning, EndsOnceItIsStopped) {
  const std::atomic<bool> stop = true;
  LearnOptions options;
  options.stop = &stop;
  for (const std::string& model : reasoner_models()) {
    if (model == "majority") continue;  // a mean
    options.model = model;
    EXPECT_THROW(Reasoner::learn(weather(), options), Interrupted) << model;
  }
  EXPECT_THROW(Reasoner::infer(weather(), 0.0, 0, &stop), Interrupted);
  for (const std::string& model : recommender_models()) {
    if (model == "popularity") continue;  // counts
    options.model = model;
    EXPECT_THROW(Recommender::learn(two_tastes(), options), Interrupted) << model;
  }
}

TEST(Learning, KeepsTheEpochsInItsFolderWhenItIsStopped) {
  const TempFolder folder;
  std::atomic<bool> stop = false;
  LearnOptions options = quick_options();
  options.folder = folder / "run";
  options.stop = &stop;
  options.epoch = [&](const TrainedEpoch& epoch) { stop = epoch.epoch == 3; };
  EXPECT_THROW(Reasoner::learn(weather(), options), Interrupted);
  EXPECT_GT(Reasoner::load(folder / "run").truth_of("rain"), 0.0);
  stop = false;
  options.epoch = nullptr;
  options.resume = true;
  const Reasoner resumed = Reasoner::learn(weather(), options);
  EXPECT_EQ(resumed.training().epochs, 30U);
  EXPECT_EQ(resumed.truth_of("rain"), Reasoner::learn(weather(), quick_options()).truth_of("rain"));
}

TEST(Asking, EndsOnceItIsStopped) {
  const std::atomic<bool> stop = true;
  const Reasoner reasoner = Reasoner::learn(weather(), quick_options());
  const std::vector<std::string> expressions = {"rain", "sun"};
  EXPECT_THROW(reasoner.truth_of(expressions, 2, &stop), Interrupted);
  EXPECT_THROW(reasoner.audit(expressions, 10, 0, 1, &stop), Interrupted);
  const Recommender recommender = Recommender::learn(two_tastes(), recommender_options());
  RecommendationQuery query{.history = History{{film(0)}}};
  query.stop = &stop;
  EXPECT_THROW(recommender.recommend(query), Interrupted);
  EXPECT_THROW(recommender.score(query, std::vector<std::string>{film(1)}), Interrupted);
  EXPECT_THROW(recommender.explain(query, film(1)), Interrupted);
  EXPECT_THROW(recommender.evaluate({.candidates = 0, .stop = &stop}), Interrupted);
  EXPECT_THROW(recommender.evaluate(two_tastes(), {.candidates = 0, .stop = &stop}), Interrupted);
  const std::vector<std::int64_t> starts = {0, 1};
  const std::vector<std::uint32_t> items = {0};
  std::vector<std::int64_t> best(3);
  std::vector<double> scores(3);
  RecommendationColumns columns{.starts = starts, .items = items, .count = 3};
  columns.stop = &stop;
  EXPECT_THROW(recommender.recommend(columns, best, scores, 1), Interrupted);
}

TEST(Learning, ListsModelsAndSettings) {
  EXPECT_EQ(reasoner_models().front(), "linn");
  for (const std::string& model : recommender_models()) {
    for (const SettingInfo& setting : recommender_settings(model)) {
      EXPECT_FALSE(setting.name.empty() || setting.help.empty() || setting.range.empty() || setting.value.empty());
    }
  }
  const auto value = [](const std::vector<SettingInfo>& settings, const std::string& name) {
    for (const SettingInfo& setting : settings) {
      if (setting.name == name) return setting.value;
    }
    return std::string("none");
  };
  EXPECT_EQ(value(reasoner_settings("linn", "paper"), "laws"), "0.01");
  EXPECT_EQ(value(recommender_settings("linn-rl"), "laws"), "0");
  EXPECT_THROW(reasoner_settings("sasrec"), InputError);
}

// One model, eight threads: every answer is that of one thread.
TEST(ConcurrentPublicInterface, ReasonerAndRecommender) {
  const Reasoner reasoner = Reasoner::learn(weather(), quick_options());
  const Recommender recommender = Recommender::learn(two_tastes(), recommender_options());
  const std::vector<std::string> expressions(600, "rain & !sun");
  const auto ask = [&] {
    std::vector<double> answers = {reasoner.truth_of("rain | sun"), reasoner.truth_of("!rain")};
    for (const double truth : reasoner.truth_of(expressions, 2)) answers.push_back(truth);
    for (const auto& variable : reasoner.variables()) answers.push_back(variable.truth);
    for (int i = 0; i < 12; ++i) {
      const RecommendationQuery query{.history = History{{film(i)}, {film((i + 3) % 12), false}}};
      for (const Recommendation& each : recommender.recommend(query)) {
        answers.push_back(each.score);
        for (const auto& reason : each.because) answers.push_back(reason.effect);
      }
    }
    for (const auto& [name, metric] : recommender.evaluate(two_tastes(), {.candidates = 5, .threads = 2}))
      answers.push_back(metric);
    return answers;
  };
  const std::vector<double> alone = ask();
  for (const std::vector<double>& answers : at_once(kThreads, ask)) EXPECT_EQ(answers, alone);
}

}  // namespace
}  // namespace linn
