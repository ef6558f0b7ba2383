#include "linn/optim/averaging.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "linn/base/error.h"

namespace linn {
namespace {

struct Model {
  Model() : table("items", 301, 67) { parameters.add("weight", 5, 7); }

  void fill(float value) {
    std::ranges::fill_n(parameters.value(0).data, 35, value);
    std::ranges::fill(table.values(), 2 * value);
  }
  void expect(float value) {
    for (std::size_t i = 0; i < 35; ++i) EXPECT_FLOAT_EQ(parameters.value(0).data[i], value);
    EXPECT_EQ(parameters.values()[35], 0.0F) << "padding";
    for (const float x : table.values()) ASSERT_FLOAT_EQ(x, 2 * value);
  }

  ParameterSet parameters;
  EmbeddingTable table;
};

TEST(WeightAverage, Exponential) {
  ThreadPool pool(1);
  Model model;
  WeightAverage average(0.4, model.parameters, {&model.table});
  for (const float value : {1.0F, 2.0F, 6.0F}) {
    model.fill(value);
    average.add_snapshot(pool);
  }
  EXPECT_EQ(average.snapshot_count()[0], 3U);
  model.fill(-5);
  average.swap(pool);
  EXPECT_TRUE(average.swapped());
  model.expect(0.4F * (1.0F / 3 * 1 + 2.0F / 3 * 2) + 0.6F * 6);
  average.swap(pool);
  EXPECT_FALSE(average.swapped());
  model.expect(-5);
}

// Up to the decay, the nth snapshot counts n times.
TEST(WeightAverage, ExponentialBeginsAsAWeightedMean) {
  ThreadPool pool(1);
  Model model;
  WeightAverage average(0.9, model.parameters, {&model.table});
  for (const float value : {1.0F, 2.0F, 6.0F}) {
    model.fill(value);
    average.add_snapshot(pool);
  }
  average.swap(pool);
  model.expect((1 * 1.0F + 2 * 2.0F + 3 * 6.0F) / 6);
}

TEST(WeightAverage, NothingToSwapWithoutSnapshots) {
  ThreadPool pool(1);
  Model model;
  model.fill(3);
  WeightAverage average(0.4, model.parameters, {&model.table});
  average.swap(pool);
  EXPECT_FALSE(average.swapped());
  model.expect(3);
}

TEST(WeightAverage, ContinuesWhereItWasSaved) {
  ThreadPool pool(1);
  Model model;
  WeightAverage first(0.4, model.parameters, {&model.table});
  model.fill(1);
  first.add_snapshot(pool);
  WeightAverage second(0.4, model.parameters, {&model.table});
  const auto saved = first.float_state();
  const auto loaded = second.float_state();
  ASSERT_EQ(saved.size(), 2U);
  for (std::size_t i = 0; i < saved.size(); ++i) {
    EXPECT_EQ(saved[i].name, loaded[i].name);
    std::ranges::copy(saved[i].values, loaded[i].values.begin());
  }
  second.snapshot_count()[0] = first.snapshot_count()[0];
  model.fill(4);
  second.add_snapshot(pool);
  second.swap(pool);
  model.expect((1 * 1.0F + 2 * 4.0F) / 3);
}

TEST(WeightAverage, RefusesADecayOutOfRange) {
  Model model;
  const auto make = [&](double decay) { WeightAverage(decay, model.parameters); };
  EXPECT_THROW(make(1), InputError);
  EXPECT_THROW(make(-0.1), InputError);
  EXPECT_THROW(make(std::numeric_limits<double>::quiet_NaN()), InputError);
  EXPECT_NO_THROW(make(0.999));
}

}  // namespace
}  // namespace linn
