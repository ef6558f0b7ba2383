// Only what is meant to be random is: the same seed gives the same bits on any number of threads.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "nn/random_network.h"

namespace linn {
namespace {

template <class T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

void expect_same_bits(const EngineResult& a, const EngineResult& b) {
  EXPECT_TRUE(same_bits<float>(a.scores, b.scores));
  EXPECT_TRUE(same_bits<double>(a.regularizers.laws, b.regularizers.laws));
  EXPECT_EQ(a.regularizers.length, b.regularizers.length);
  EXPECT_TRUE(same_bits<float>(a.d_parameters, b.d_parameters));
  EXPECT_TRUE(same_bits<float>(a.d_variables, b.d_variables));
}

struct Setting {
  NetworkOptions options;
  RegularizerOptions regularizers;
  float dropout = 0.0F;
};

std::vector<Setting> settings() {
  std::vector<Setting> result(3);
  result[0].options = NetworkOptions::authors(16);
  result[0].regularizers.set_laws(0.1F);
  result[0].regularizers.count_occurrences = true;
  result[0].regularizers.length = 0.01F;
  result[1].options.width = 11;
  result[1].options.gate = {13, 2, true, Activation::kTanh, Structure::kResidual};
  result[1].options.similarity = SimilarityKind::kMlp;
  result[1].regularizers.set_laws(0.1F);
  result[1].regularizers.law_share = 0.3F;
  result[1].dropout = 0.2F;
  result[2].options = NetworkOptions::paper(12);
  return result;
}

EngineResult one_step(const Setting& setting, const Plan& plan, std::size_t threads, std::size_t rounds = 1) {
  Random random(21);
  LogicNetwork network(setting.options);
  network.initialize(random, 0.5F);
  const auto table = random_table(random, kLargeBatch.variables, setting.options.width);
  const auto d_scores = random_gradients(random, plan.roots.size());
  ThreadPool pool(threads);
  GradientRun run(network, pool);
  EngineResult result;
  for (std::size_t i = 0; i < rounds; ++i) {
    Random draws(7);
    result = run_engine(run, plan, table, d_scores, {&setting.regularizers, setting.dropout, &draws});
  }
  return result;
}

TEST(Determinism, TheSameBitsOnAnyNumberOfThreads) {
  Random random(4);
  Plan plan;
  PlanBuilder().build(batch_of(large_forms(random)), &random, plan);
  for (const Setting& setting : settings()) {
    const EngineResult alone = one_step(setting, plan, 1);
    for (const std::size_t threads : {2, 3, 7}) {
      SCOPED_TRACE(threads);
      expect_same_bits(one_step(setting, plan, threads), alone);
    }
    SCOPED_TRACE("again, in used memory");
    expect_same_bits(one_step(setting, plan, 1, 3), alone);
    expect_same_bits(one_step(setting, plan, 2, 3), alone);
  }
}

TEST(Determinism, AnotherSeedDrawsOtherOrders) {
  Random random(4);
  Plan plan;
  PlanBuilder().build(batch_of(large_forms(random)), &random, plan);
  const Setting setting = settings()[0];
  LogicNetwork network(setting.options);
  network.initialize(random, 0.5F);
  const auto table = random_table(random, kLargeBatch.variables, setting.options.width);
  const auto d_scores = random_gradients(random, plan.roots.size());
  ThreadPool pool(1);
  GradientRun run(network, pool);
  // Each law reverses its operands about half of the time, independently of the others.
  std::array<std::array<std::size_t, kLaws>, kLaws> together{};
  std::size_t blocks = 0;
  Random draws(1);
  for (int i = 0; i < 30; ++i) {
    run_engine(run, plan, table, d_scores, {&setting.regularizers, 0.0F, &draws});
    const LawRows& rows = run.gradient_memory().other_law_rows;
    for (std::size_t row = 0; row < rows.sides.size(); row += 2 * kBlockRows, ++blocks) {
      for (std::size_t a = 0; a < kLaws; ++a) {
        for (std::size_t b = 0; b < kLaws; ++b) together[a][b] += (rows.sides[row] >> a) & (rows.sides[row] >> b) & 1U;
      }
    }
  }
  for (std::size_t a = 0; a < kLaws; ++a) {
    for (std::size_t b = 0; b < kLaws; ++b) {
      const double share = static_cast<double>(together[a][b]) / static_cast<double>(blocks);
      EXPECT_NEAR(share, a == b ? 0.5 : 0.25, 2.5 / std::sqrt(static_cast<double>(blocks))) << a << " " << b;
    }
  }
}

// Mean and standard error of each number of a series of vectors.
class Mean {
 public:
  void add(const std::vector<double>& values) {
    sum_.resize(values.size());
    square_.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      sum_[i] += values[i];
      square_[i] += values[i] * values[i];
    }
    ++count_;
  }
  std::size_t size() const { return sum_.size(); }
  double mean(std::size_t i) const { return sum_[i] / count_; }
  double squared_error(std::size_t i) const {
    return std::max(0.0, square_[i] / count_ - mean(i) * mean(i)) / (count_ - 1);
  }

 private:
  std::vector<double> sum_, square_;
  double count_ = 0;
};

TEST(Determinism, SampledLawsAreRightOnAverage) {
  for (const bool occurrences : {false, true}) {
    Random random(13);
    LogicNetwork network(NetworkOptions::paper(5));
    network.initialize(random, 0.5F);
    Plan plan;
    PlanBuilder().build(batch_of(random_forms(random, {.expressions = 5, .constants = 0.0})), &random, plan);
    const auto table = random_table(random, 6, 5);
    const std::vector<float> d_scores(plan.roots.size(), 0.0F);
    ThreadPool pool(1);
    GradientRun run(network, pool);
    RegularizerOptions regularizers;
    regularizers.set_laws(1.0F);
    regularizers.count_occurrences = occurrences;
    const auto mean_of = [&](float share) {
      regularizers.law_share = share;
      Mean mean;
      for (int i = 0; i < 3000; ++i) {
        const auto r = run_engine(run, plan, table, d_scores, {&regularizers, 0.0F, &random});
        std::vector<double> all(r.d_parameters.begin(), r.d_parameters.end());
        all.insert(all.end(), r.d_variables.begin(), r.d_variables.end());
        all.insert(all.end(), r.regularizers.laws.begin(), r.regularizers.laws.end());
        mean.add(all);
      }
      return mean;
    };
    const Mean exact = mean_of(1.0F);  // over operand orders, which are drawn too
    const Mean sampled = mean_of(0.3F);
    double chi = 0.0;
    std::size_t numbers = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const double variance = exact.squared_error(i) + sampled.squared_error(i);
      if (variance < 1e-20) continue;
      const double off = std::abs(sampled.mean(i) - exact.mean(i)) / std::sqrt(variance);
      EXPECT_LT(off, 5.0) << "number " << i;
      chi += off * off;
      ++numbers;
    }
    ASSERT_GT(numbers, 100U);
    // The numbers are far from independent, so the mean square spreads widely around 1; a bias would be larger.
    EXPECT_LT(chi / static_cast<double>(numbers), 3.0);
  }
}

TEST(Determinism, DropoutKeepsTheMean) {
  Random random(2);
  LogicNetwork network(NetworkOptions::paper(8));
  network.initialize(random, 0.5F);
  Plan plan;
  PlanBuilder().build(batch_of(large_forms(random)), &random, plan);
  ThreadPool pool(1);
  GradientRun run(network, pool);
  const auto table = random_table(random, kLargeBatch.variables, 8);
  std::size_t zeros = 0;
  std::size_t all = 0;
  for (int i = 0; i < 20; ++i) {
    run.forward(plan, table.data(), {.dropout = {0.2F, &random}});
    for (std::size_t v = 0; v < plan.variables.size(); ++v) {
      const float* vector = run.forward_memory().vector(Plan::kFirstVariable + v);
      for (std::size_t j = 0; j < 8; ++j, ++all) {
        if (vector[j] == 0.0F)
          ++zeros;
        else
          EXPECT_FLOAT_EQ(vector[j], 1.25F * table[plan.variables[v] * 8 + j]);
      }
    }
  }
  EXPECT_NEAR(static_cast<double>(zeros) / static_cast<double>(all), 0.2, 0.015);
  // Without dropout the same run gives the plain vectors.
  run.forward(plan, table.data());
  EXPECT_EQ(run.forward_memory().vector(Plan::kFirstVariable)[3], table[plan.variables[0] * 8 + 3]);
}

}  // namespace
}  // namespace linn
