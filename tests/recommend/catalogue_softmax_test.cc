#include "linn/recommend/protocol/catalogue_softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "linn/base/random.h"
#include "support/allocation_count.h"
#include "support/gradient_check.h"

namespace linn {
namespace {

struct Shape {
  std::size_t targets;
  std::size_t items;
  std::size_t width;
  bool biases = false;
  double label_noise = 0.0;
  std::size_t draws = 0;   // 0: the whole catalogue
  std::size_t hidden = 0;  // units of the pairs
};

struct Result {
  double loss = 0.0;
  std::vector<float> queries, keys, biases;
  std::vector<float> target_units, item_units, weights;

  friend bool operator==(const Result&, const Result&) = default;
};

constexpr std::size_t kUnseen = 1000;  // items of the catalogue without a key

class Trial {
 public:
  Trial(const Shape& shape, std::uint64_t seed) : shape_(shape), softmax_(shape.width) {
    Random random(seed);
    const auto fill = [&](std::vector<float>& values, std::size_t size, double deviation) {
      values.resize(size);
      for (float& value : values) value = static_cast<float>(deviation * random.normal());
    };
    fill(queries, shape.targets * shape.width, 1.0);
    fill(keys, shape.items * shape.width, 1.0);
    if (shape.biases) fill(biases, shape.items, 1.0);
    fill(target_units, shape.targets * shape.hidden, 1.0);
    fill(item_units, shape.items * shape.hidden, 1.0);
    fill(weights, shape.hidden, 1.0);
    for (std::size_t i = 0; i < shape.targets; ++i) {
      targets.push_back(static_cast<std::uint32_t>(random.below(shape.items)));
    }
    for (std::size_t i = 0; i < shape.draws; ++i) {
      // Some targets are among the draws.
      draws.push_back(i % 5 == 0 && shape.targets > 0 ? targets[random.below(shape.targets)]
                                                      : static_cast<std::uint32_t>(random.below(shape.items)));
      log_counts.push_back(static_cast<float>(random.normal()));
    }
  }

  Result run(float scale, ThreadPool& threads) {
    Result result;
    result.queries.assign(queries.size(), 7.0F);
    result.keys.assign(keys.size(), 7.0F);
    result.biases.assign(biases.size(), 7.0F);
    result.target_units.assign(target_units.size(), 7.0F);
    result.item_units.assign(item_units.size(), 7.0F);
    result.weights.assign(weights.size(), 7.0F);
    const ChoicePairs pairs = {shape_.hidden,        target_units.data(),        item_units.data(),
                               weights.data(),       result.target_units.data(), result.item_units.data(),
                               result.weights.data()};
    const ChoiceItems items = {shape_.items, keys.data(), shape_.biases ? biases.data() : nullptr};
    const ChoiceTargets chosen = {shape_.targets, queries.data(), targets.data()};
    const ChoiceGradients gradients = {result.queries.data(), result.keys.data(),
                                       shape_.biases ? result.biases.data() : nullptr};
    const std::size_t before = allocation_count();
    if (shape_.draws == 0) {
      result.loss = softmax_.run(items, chosen, shape_.label_noise, scale, gradients, threads, pairs);
    } else {
      result.loss = softmax_.run_sampled(items, {draws.size(), draws.data(), log_counts.data(), shape_.items + kUnseen},
                                         chosen, shape_.label_noise, scale, gradients, threads, pairs);
    }
    allocations = allocation_count() - before;
    return result;
  }

  // The definition, in double precision.
  Result naive(float scale) const {
    const std::size_t width = shape_.width;
    std::vector<double> dq(queries.size(), 0.0);
    std::vector<double> dk(keys.size(), 0.0);
    std::vector<double> db(biases.size(), 0.0);
    std::vector<double> d_target_units(target_units.size(), 0.0);
    std::vector<double> d_item_units(item_units.size(), 0.0);
    std::vector<double> d_weights(weights.size(), 0.0);
    const std::size_t hidden = shape_.hidden;
    const auto unit = [&](std::size_t target, std::size_t item, std::size_t h) {
      return std::max(0.0, double{target_units[target * hidden + h]} + double{item_units[item * hidden + h]});
    };
    Result result;
    for (std::size_t i = 0; i < shape_.targets; ++i) {
      const auto score = [&](std::size_t item) {
        double sum = shape_.biases ? biases[item] : 0.0;
        for (std::size_t k = 0; k < width; ++k) {
          sum += double{queries[i * width + k]} * double{keys[item * width + k]};
        }
        for (std::size_t h = 0; h < hidden; ++h) sum += double{weights[h]} * unit(i, item, h);
        return sum;
      };
      // The terms of the partition: an item, and the logarithm of its term.
      std::vector<std::pair<std::size_t, double>> terms;
      if (shape_.draws == 0) {
        for (std::size_t j = 0; j < shape_.items; ++j) terms.emplace_back(j, score(j));
      } else {
        terms.emplace_back(targets[i], score(targets[i]));
        for (std::size_t j = 0; j < draws.size(); ++j) {
          if (draws[j] != targets[i]) terms.emplace_back(draws[j], score(draws[j]) - double{log_counts[j]});
        }
      }
      double partition = 0.0;
      for (const auto& [item, term] : terms) partition += std::exp(term);
      const double p = std::exp(score(targets[i])) / partition;
      const double catalogue = static_cast<double>(shape_.draws == 0 ? shape_.items : shape_.items + kUnseen);
      const double mixed = (1 - shape_.label_noise) * p + shape_.label_noise / catalogue;
      result.loss -= std::log(mixed);
      const double factor = scale * (1 - shape_.label_noise) * p / mixed;
      const auto add = [&](std::size_t item, double d) {
        for (std::size_t k = 0; k < width; ++k) {
          dq[i * width + k] += d * double{keys[item * width + k]};
          dk[item * width + k] += d * double{queries[i * width + k]};
        }
        if (shape_.biases) db[item] += d;
        for (std::size_t h = 0; h < hidden; ++h) {
          d_weights[h] += d * unit(i, item, h);
          if (unit(i, item, h) == 0.0) continue;
          d_target_units[i * hidden + h] += d * double{weights[h]};
          d_item_units[item * hidden + h] += d * double{weights[h]};
        }
      };
      for (const auto& [item, term] : terms) add(item, factor * std::exp(term) / partition);
      add(targets[i], -factor);
    }
    result.queries.assign(dq.begin(), dq.end());
    result.keys.assign(dk.begin(), dk.end());
    result.biases.assign(db.begin(), db.end());
    result.target_units.assign(d_target_units.begin(), d_target_units.end());
    result.item_units.assign(d_item_units.begin(), d_item_units.end());
    result.weights.assign(d_weights.begin(), d_weights.end());
    return result;
  }

  std::vector<float> queries, keys, biases, log_counts;
  std::vector<float> target_units, item_units, weights;
  std::vector<std::uint32_t> targets, draws;
  std::size_t allocations = 0;  // of the last run

 private:
  Shape shape_;
  CatalogueSoftmax softmax_;
};

void expect_near(const std::vector<float>& values, const std::vector<float>& expected, const std::string& name) {
  ASSERT_EQ(values.size(), expected.size());
  double scale = 0.0;
  for (const float value : expected) scale = std::max(scale, std::abs(double{value}));
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_NEAR(values[i], expected[i], 2e-5 * (scale + std::abs(double{expected[i]})) + 2e-6) << name << " " << i;
  }
}

const std::vector<Shape> kShapes = {
    {1, 1, 1},
    {0, 5, 3},
    {3, 2, 5, true},
    {30, 1, 7, true, 0.1},
    {40, 17, 9},
    {7, 700, 13, true, 0.2},
    {230, 300, 6, true},
    {101, 513, 20},
    {20, 9000, 4},               // fewer rows in a block
    {60, 30'000, 3, true},       // the fewest rows in a block
    {1000, 130, 5, true, 0.05},  // all lanes
    {3, 2, 5, true, 0.0, 1},
    {50, 40, 7, false, 0.0, 30},
    {230, 60, 6, true, 0.1, 700},
    {0, 5, 3, true, 0.0, 4},
    {1, 1, 1, false, 0.0, 0, 1},
    {0, 5, 3, true, 0.0, 0, 2},
    {40, 17, 9, true, 0.1, 0, 5},
    {101, 513, 6, false, 0.0, 0, 20},
    {1000, 130, 5, true, 0.05, 0, 33},
    {60, 9000, 3, false, 0.0, 0, 4},
    {0, 5, 3, true, 0.0, 4, 2},
    {50, 40, 7, true, 0.0, 30, 18},
    {230, 60, 6, false, 0.1, 700, 7},
};

TEST(CatalogueSoftmax, EqualsTheDefinition) {
  ThreadPool threads(2);
  for (const Shape& shape : kShapes) {
    SCOPED_TRACE(testing::Message() << shape.targets << " targets, " << shape.items << " items, " << shape.draws
                                    << " draws");
    Trial trial(shape, 3);
    const Result result = trial.run(0.25F, threads);
    const Result expected = trial.naive(0.25F);
    EXPECT_NEAR(result.loss, expected.loss, 1e-5 * std::abs(expected.loss) + 1e-6);
    expect_near(result.queries, expected.queries, "queries");
    expect_near(result.keys, expected.keys, "keys");
    expect_near(result.biases, expected.biases, "biases");
    expect_near(result.target_units, expected.target_units, "hidden units of targets");
    expect_near(result.item_units, expected.item_units, "hidden units of items");
    expect_near(result.weights, expected.weights, "weights");
  }
}

TEST(CatalogueSoftmax, GradientsAreThoseOfTheLoss) {
  ThreadPool threads(1);
  for (const Shape& shape : {Shape{4, 6, 3, true, 0.1, 0, 5}, Shape{4, 6, 3, true, 0.1, 9, 5}}) {
    Trial trial(shape, 4);
    const auto loss = [&] { return trial.run(1.0F, threads).loss; };
    const Result result = trial.run(1.0F, threads);
    EXPECT_TRUE(gradient_matches(trial.queries, result.queries, loss));
    EXPECT_TRUE(gradient_matches(trial.keys, result.keys, loss));
    EXPECT_TRUE(gradient_matches(trial.biases, result.biases, loss));
    const GradientCheckOptions kinked = {.kinks = 0.1};
    EXPECT_TRUE(gradient_matches(trial.target_units, result.target_units, loss, kinked));
    EXPECT_TRUE(gradient_matches(trial.item_units, result.item_units, loss, kinked));
    EXPECT_TRUE(gradient_matches(trial.weights, result.weights, loss));
  }
}

TEST(CatalogueSoftmax, HasTheSameBitsOnAnyNumberOfThreads) {
  for (const Shape& shape : kShapes) {
    ThreadPool one(1);
    const Result expected = Trial(shape, 5).run(1.0F, one);
    for (const std::size_t count : {2U, 3U}) {
      ThreadPool threads(count);
      EXPECT_EQ(Trial(shape, 5).run(1.0F, threads), expected);
    }
  }
}

TEST(CatalogueSoftmax, AllocatesNothingAgain) {
  ThreadPool threads(1);
  for (const Shape& shape : kShapes) {
    Trial trial(shape, 6);
    trial.run(1.0F, threads);
    trial.run(1.0F, threads);
    EXPECT_EQ(trial.allocations, 0U);
  }
}

TEST(CatalogueSoftmax, StandsLargeScoresAndShowsNan) {
  ThreadPool threads(1);
  for (const std::size_t draws : {0U, 6U}) {
    Trial trial({5, 300, 4, true, 0.0, draws}, 7);
    for (float& value : trial.queries) value *= 1e4F;
    const Result result = trial.run(1.0F, threads);
    EXPECT_TRUE(std::isfinite(result.loss));
    for (const float value : result.keys) ASSERT_TRUE(std::isfinite(value));
    trial.queries[5] = std::nanf("");
    EXPECT_TRUE(std::isnan(trial.run(1.0F, threads).loss));
  }
}

// With as many draws as a large sample, the estimated partition is close to the exact one.
TEST(CatalogueSoftmax, DrawsEstimateTheWholeCatalogue) {
  ThreadPool threads(2);
  Trial trial({50, 200, 6, true}, 8);
  const double exact = trial.run(1.0F, threads).loss;
  Trial sampled({50, 200, 6, true, 0.0, 20'000}, 8);
  Random random(9);
  double sum = 0.0;
  for (std::size_t item = 0; item < 200; ++item) sum += static_cast<double>(50 + item);
  for (std::size_t i = 0; i < sampled.draws.size(); ++i) {
    // Item j with a probability in proportion to 50 + j.
    auto left = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(sum)));
    std::uint32_t item = 0;
    while ((left -= 50 + item) >= 0) ++item;
    sampled.draws[i] = item;
    sampled.log_counts[i] = static_cast<float>(std::log(20'000.0 * (50 + item) / sum));
  }
  EXPECT_NEAR(sampled.run(1.0F, threads).loss, exact, 0.01 * exact);
}

}  // namespace
}  // namespace linn
