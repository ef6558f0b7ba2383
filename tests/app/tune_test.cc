#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "app/task_kinds.h"
#include "app/tune/search_space.h"
#include "app/tune/successive_halving.h"
#include "support/expect_error.h"

namespace linn::app {
namespace {

TEST(SearchRange, DrawsFromWhatWasGiven) {
  Random random(1);
  const SearchRange choice = SearchRange::parse("d=32,64,128");
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) seen.insert(choice.draw(random));
  EXPECT_EQ(seen, (std::set<std::string>{"32", "64", "128"}));

  const SearchRange even = SearchRange::parse("dropout=0..0.8");
  const SearchRange log = SearchRange::parse("laws=1e-4..1:log");
  int small = 0;
  for (int i = 0; i < 1000; ++i) {
    const double dropout = std::stod(even.draw(random));
    EXPECT_TRUE(dropout >= 0.0 && dropout <= 0.8);
    const double laws = std::stod(log.draw(random));
    EXPECT_TRUE(laws >= 0.9999e-4 && laws <= 1.0);
    small += laws < 1e-2 ? 1 : 0;
  }
  EXPECT_NEAR(small, 500, 80);  // half of the range on a logarithmic scale
}

TEST(SearchRange, DrawsOnlyWholeNumbersIfTold) {
  Random random(1);
  SearchRange whole = SearchRange::parse("d=2..5");
  whole.make_whole();
  std::set<std::string> seen;
  for (int i = 0; i < 200; ++i) seen.insert(whole.draw(random));
  EXPECT_EQ(seen, (std::set<std::string>{"2", "3", "4", "5"}));
}

TEST(SearchRange, RefusesOtherText) {
  for (const char* text : {"", "laws", "=1..2", "laws=", "laws=1..", "laws=..2", "laws=a..b", "laws=2..1",
                           "laws=0..1:log", "laws=1,,2", "laws=1..inf"}) {
    EXPECT_THROW(SearchRange::parse(text), InputError) << text;
  }
}

TEST(ModelKinds, HaveDefaultRangesOfTheirOwnSettings) {
  for (const char* task : {"equations", "recommend"}) {
    std::size_t searched = 0;
    for (const ModelKind* kind : model_kinds(task)) {
      for (const Preset preset : {Preset::kBest, Preset::kPaper}) {
        const auto settings = kind->preset(preset, {});
        for (const std::string& text : kind->search_ranges(preset)) {
          const SearchRange range = SearchRange::parse(text);
          EXPECT_TRUE(settings->has(range.key())) << kind->name() << " " << text;
          ++searched;
        }
      }
    }
    EXPECT_GT(searched, 10U);
  }
  EXPECT_TRUE(model_kind("recommend", "popularity").search_ranges(Preset::kBest).empty());
  EXPECT_THROW(model_kind("recommend", "cnn"), InputError);
}

TEST(DrawSettings, ATrialDoesNotDependOnTheOthers) {
  const std::vector<SearchRange> ranges = {SearchRange::parse("a=0..1"), SearchRange::parse("b=x,y")};
  EXPECT_EQ(draw_settings(ranges, 3, 7), draw_settings(ranges, 3, 7));
  EXPECT_NE(draw_settings(ranges, 3, 7), draw_settings(ranges, 3, 8));
  EXPECT_NE(draw_settings(ranges, 3, 7), draw_settings(ranges, 4, 7));
}

TEST(HalvingRungs, GiveTheBetterOnesMore) {
  EXPECT_EQ(halving_rungs(27, 27), (std::vector<Rung>{{1, 27}, {3, 9}, {9, 3}, {27, 1}}));
  EXPECT_EQ(halving_rungs(16, 30), (std::vector<Rung>{{3, 16}, {10, 5}, {30, 1}}));
  EXPECT_EQ(halving_rungs(9, 2), (std::vector<Rung>{{2, 9}}));  // too few epochs to divide
  EXPECT_EQ(halving_rungs(1, 50), (std::vector<Rung>{{50, 1}}));
}

TEST(BestTrials, AreThoseWithTheHighestScores) {
  const std::vector<std::size_t> trials = {0, 1, 2, 3, 4};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> scores = {nan, 0.5, 0.9, 0.5, 0.7};
  EXPECT_EQ(best_trials(trials, scores, 3), (std::vector<std::size_t>{1, 2, 4}));
  EXPECT_EQ(best_trials(trials, scores, 9), trials);
}

}  // namespace
}  // namespace linn::app
