// Whole steps on the device against those on the CPU: losses, the optimizer and the sums over several steps. Without
// dropout, which draws other numbers on a device, both see the same plans and laws.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cuda/device_trial.h"
#include "linn/base/error.h"
#include "linn/recommend/linn/fold_step.h"
#include "linn/recommend/protocol/ranking_loss.h"
#include "linn/train/logic_step.h"

namespace linn::cuda {
namespace {

constexpr std::size_t kVariables = 30;

NetworkOptions small_network() {
  NetworkOptions options = NetworkOptions::authors(8);
  options.alpha = 3.0F;
  return options;
}

// A network in training.
struct Trained {
  Trained(const NetworkOptions& options, const OptimizerOptions& optimizer_options, std::uint64_t seed)
      : network(options),
        variables("variables", kVariables, options.width),
        optimizer(optimizer_options, network.parameters(), {&variables}) {
    Random random(seed);
    network.initialize(random, 0.4F);
    variables.initialize_normal(random, 0.7F);
  }
  LogicNetwork network;
  EmbeddingTable variables;
  Optimizer optimizer;
};

void expect_same(Trained& expected, Trained& found, float share = 2e-3F) {
  expect_near(expected.network.parameters().values(), found.network.parameters().values(), "parameters", share);
  expect_near(expected.variables.values(), found.variables.values(), "variables", share);
  ThreadPool alone(1);
  expected.optimizer.flush(alone);
  const auto expected_state = expected.optimizer.float_state();
  const auto found_state = found.optimizer.float_state();
  ASSERT_EQ(expected_state.size(), found_state.size());
  for (std::size_t i = 0; i < expected_state.size(); ++i) {
    expect_near(expected_state[i].values, found_state[i].values, expected_state[i].name.c_str(), 5e-3F);
  }
  const auto expected_counts = expected.optimizer.count_state();
  const auto found_counts = found.optimizer.count_state();
  for (std::size_t i = 0; i < expected_counts.size(); ++i) {
    EXPECT_TRUE(std::ranges::equal(expected_counts[i].values, found_counts[i].values)) << expected_counts[i].name;
  }
}

void expect_same(const StepReport& expected, const StepReport& found) {
  const auto expect = [](double a, double b, const std::string& what) {
    EXPECT_NEAR(a, b, 1e-3 * (1e-3 + std::abs(a))) << what;
  };
  expect(expected.task_loss, found.task_loss, "loss");
  expect(expected.regularizers.length, found.regularizers.length, "length");
  for (std::size_t i = 0; i < kLaws; ++i) {
    expect(expected.regularizers.laws[i], found.regularizers.laws[i], "law " + std::to_string(i));
  }
}

void add(StepReport& sum, const StepReport& step) {
  sum.task_loss += step.task_loss;
  sum.regularizers.length += step.regularizers.length;
  for (std::size_t i = 0; i < kLaws; ++i) sum.regularizers.laws[i] += step.regularizers.laws[i];
}

struct LogicCase {
  const char* name;
  ScoreLoss::Kind kind = ScoreLoss::Kind::kCrossEntropy;
  double label_noise = 0.0;
  std::function<void(OptimizerOptions&)> change = [](OptimizerOptions&) {};
  std::size_t steps = 5;
};

class LogicSteps : public testing::TestWithParam<LogicCase> {};

TEST_P(LogicSteps, AreThoseOfTheCpu) {
  using Kind = ScoreLoss::Kind;
  const LogicCase& test = GetParam();
  OptimizerOptions optimizer;
  optimizer.learning_rate = 0.01;
  // Where a gradient is all rounding, Adam would make whole steps of it.
  optimizer.epsilon = 1e-3;
  test.change(optimizer);
  Trained on_cpu(small_network(), optimizer, 1);
  Trained on_device(small_network(), optimizer, 1);
  LogicStepOptions options;
  options.regularizers.set_laws(0.1F);
  options.regularizers.law_share = 0.5F;
  options.regularizers.length = 0.01F;
  options.regularizers.count_occurrences = true;
  ThreadPool pool(1);
  const auto device = open_device("cuda");
  LogicStep cpu_step(on_cpu.network, on_cpu.variables, on_cpu.optimizer, pool, options);
  LogicStep device_step(on_device.network, on_device.variables, on_device.optimizer, pool, options, device.get());
  const bool groups = test.kind != Kind::kCrossEntropy && test.kind != Kind::kExpectedLogLoss;
  const std::size_t labels = test.kind == Kind::kExpectedLogLoss ? 4 : 6;
  const std::size_t group = test.kind == Kind::kSoftmax ? 3 : 2;

  Random random(2);
  Random of_device = random;
  StepReport expected;
  const auto make_batch = [&](Random& draw, std::vector<float>& label, std::vector<float>& weight) {
    std::vector<NormalForm> forms;
    while (forms.size() < 6) {
      forms.push_back(random_forms(draw, {.expressions = 1, .variables = kVariables})[0]);
    }
    label.clear();
    weight.clear();
    for (std::size_t i = 0; i < labels; ++i) label.push_back(static_cast<float>(draw.below(2)));
    for (std::size_t i = labels; i < 6; ++i) weight.push_back(static_cast<float>(draw.uniform()));
    return batch_of(forms);
  };
  std::vector<float> label, weight;
  for (std::size_t i = 0; i < test.steps; ++i) {
    const ExpressionBatch batch = make_batch(random, label, weight);
    add(expected,
        cpu_step.run(
            batch,
            [&](std::span<const float> scores, std::span<float> d_scores) {
              if (groups) {
                const BprOn on = test.kind == Kind::kBprScore ? BprOn::kScore : BprOn::kSimilarity;
                const RankingLoss loss = test.kind == Kind::kSoftmax ? RankingLoss::kSoftmax : RankingLoss::kBpr;
                return ranking_loss({loss, on, test.label_noise}, scores, group, d_scores);
              }
              if (test.kind == Kind::kCrossEntropy) {
                return cross_entropy(scores, label, test.label_noise, d_scores);
              }
              return expected_log_loss(scores.first(labels), label, test.label_noise, d_scores.first(labels)) +
                     negative_entropy(scores.subspan(labels), weight, d_scores.subspan(labels));
            },
            random));
  }
  StepReport found;
  for (std::size_t i = 0; i < test.steps; ++i) {
    // In the middle everything comes back and goes there again.
    if (i == test.steps / 2) add(found, device_step.finish());
    const ExpressionBatch batch = make_batch(of_device, label, weight);
    ScoreLoss loss = {.kind = test.kind, .group = groups ? group : 0, .label_noise = test.label_noise};
    if (!groups) loss.labels = label;
    if (test.kind == Kind::kExpectedLogLoss) loss.weights = weight;
    device_step.queue(batch, loss, of_device);
  }
  add(found, device_step.finish());
  EXPECT_EQ(random.state(), of_device.state());
  expect_same(expected, found);
  on_cpu.optimizer.flush(pool);
  expect_same(on_cpu, on_device);
}

std::vector<LogicCase> logic_cases() {
  using Kind = ScoreLoss::Kind;
  using Change = OptimizerOptions;
  return {
      {"Likelihood"},
      {"NoisyLikelihood", Kind::kCrossEntropy, 0.1},
      {"Variational", Kind::kExpectedLogLoss, 0.1},
      {"BprSimilarity", Kind::kBprSimilarity, 0.05},
      {"BprScore", Kind::kBprScore},
      {"Softmax", Kind::kSoftmax, 0.05},
      {"Decay", Kind::kCrossEntropy, 0.0,
       [](Change& o) {
         o.weight_decay = 0.01;
         o.decay_biases = false;
         o.clip_value = 0.05;
       }},
      {"DecoupledDecay", Kind::kCrossEntropy, 0.0,
       [](Change& o) {
         o.weight_decay = 0.1;
         o.decay_mode = DecayMode::kDecoupled;
         o.clip_norm = 0.5;
         o.schedule = {ScheduleKind::kLinear, 8, 0.1};
       }},
      {"FixedModules", Kind::kCrossEntropy, 0.0, [](Change& o) { o.parameter_rate = 0.0; }},
      {"SlowModules", Kind::kCrossEntropy, 0.0, [](Change& o) { o.parameter_rate = 0.3; }},
      {"Sgd", Kind::kCrossEntropy, 0.0, [](Change& o) { o.kind = OptimizerKind::kSgd; }},
      {"Adagrad", Kind::kCrossEntropy, 0.0, [](Change& o) { o.kind = OptimizerKind::kAdagrad; }},
      {"ShortDelay", Kind::kCrossEntropy, 0.0, [](Change& o) { o.longest_delay = 2; }, 7},
      {"DenseTables", Kind::kCrossEntropy, 0.0, [](Change& o) { o.table_mode = TableMode::kDense; }},
  };
}

INSTANTIATE_TEST_SUITE_P(, LogicSteps, testing::ValuesIn(logic_cases()),
                         [](const auto& info) { return std::string(info.param.name); });

// The whole catalogue, or drawn negatives.
class FoldSteps : public testing::TestWithParam<bool> {};

TEST_P(FoldSteps, AreThoseOfTheCpu) {
  const bool sampled = GetParam();
  constexpr std::size_t kItems = kVariables - 4;
  NetworkOptions network = small_network();
  network.and_structure = Structure::kProduct;
  network.or_structure = Structure::kLeftResidual;
  network.similarity = SimilarityKind::kDot;
  network.length_bound = 2.0F;
  OptimizerOptions optimizer;
  optimizer.learning_rate = 0.01;
  optimizer.epsilon = 1e-3;
  optimizer.clip_norm = 1.0;
  Trained on_cpu(network, optimizer, 1);
  Trained on_device(network, optimizer, 1);
  LogicStepOptions options;
  options.regularizers.set_laws(0.1F);
  options.regularizers.law_share = 0.3F;
  options.random_order = false;
  ThreadPool pool(1);
  const auto device = open_device("cuda");
  FoldStep cpu_step(on_cpu.network, on_cpu.variables, kItems, on_cpu.optimizer, pool, options, 0.2F);
  FoldStep device_step(on_device.network, on_device.variables, kItems, on_device.optimizer, pool, options, 0.2F,
                       device.get());
  Random random(3);
  StepReport expected;
  for (int step = 0; step < 4; ++step) {
    std::vector<std::vector<Event>> events(5);
    HistoryBatch batch;
    batch.label_noise = step % 2 == 1 ? 0.1 : 0.0;
    for (std::size_t i = 0; i < events.size(); ++i) {
      for (std::size_t n = 2 + random.below(9); n > 0; --n) {
        events[i].push_back({static_cast<ItemId>(random.below(kItems)), random.chance(0.7)});
      }
      batch.stretches.push_back({static_cast<UserId>(random.below(8)), events[i], 1});
    }
    if (sampled) {
      for (int i = 0; i < 7; ++i) {
        batch.negatives.push_back(static_cast<ItemId>(random.below(kItems)));
        batch.negative_log_counts.push_back(static_cast<float>(random.uniform()) - 1.0F);
      }
    }
    Random of_device = random;
    add(expected, cpu_step.run(batch, random));
    device_step.queue(batch, of_device);
    EXPECT_EQ(random.state(), of_device.state());
  }
  expect_same(expected, device_step.finish());
  on_cpu.optimizer.flush(pool);
  expect_same(on_cpu, on_device);
}

INSTANTIATE_TEST_SUITE_P(, FoldSteps, testing::Values(false, true),
                         [](const auto& info) { return info.param ? "DrawnNegatives" : "WholeCatalogue"; });

// The same factors going there and back: with the vectors of the table multiplied by them, a step without dropout has
// the same loss and gradients.
TEST(DeviceDropout, IsAFactorOnTheVectors) {
  Random random(5);
  LogicNetwork network(small_network());
  network.initialize(random, 0.4F);
  const std::size_t d = network.width();
  OptimizerOptions sgd;
  sgd.kind = OptimizerKind::kSgd;
  sgd.learning_rate = 1.0;
  sgd.parameter_rate = 0.0;
  Plan plan;
  PlanBuilder().build(batch_of(random_forms(random, {.expressions = 6, .variables = kVariables})), &random, plan);
  constexpr std::uint64_t kSeed = 17;
  constexpr float kRate = 0.4F;
  EmbeddingTable with("variables", kVariables, d);
  with.initialize_normal(random, 0.7F);
  EmbeddingTable without = with;
  std::vector<float> factors(kVariables * d, 0.0F);
  std::size_t dropped = 0;
  for (std::size_t i = 0; i < plan.variables.size() * d; ++i) {
    const float factor = factor_of_dropout(kSeed, i, kRate);
    dropped += factor == 0.0F ? 1 : 0;
    const std::size_t at = plan.variables[i / d] * d + i % d;
    factors[at] = factor;
    without.values()[at] *= factor;
  }
  EXPECT_GT(dropped, 0U);
  const std::vector<float> before(with.values().begin(), with.values().end());
  const std::vector<float> before_without(without.values().begin(), without.values().end());
  const std::vector<float> labels(plan.roots.size(), 1.0F);
  const ScoreLoss loss = {.labels = labels};
  const RegularizerOptions none;
  const auto device = open_device("cuda");
  const auto loss_of = [&](EmbeddingTable& table, float rate) {
    Optimizer optimizer(sgd, network.parameters(), {&table});
    const auto training = device->train(network, &table, optimizer);
    training->step({plan, none, {}, {}, rate, kSeed}, loss);
    return training->finish().task_loss;
  };
  EXPECT_NEAR(loss_of(with, kRate), loss_of(without, 0.0F), 1e-5);
  std::vector<float> expected(before.size());
  std::vector<float> found(before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    found[i] = before[i] - with.values()[i];
    expected[i] = factors[i] * (before_without[i] - without.values()[i]);
  }
  expect_near(expected, found, "gradients of the variables");
}

TEST(DeviceRuns, HaveTheSameBits) {
  const auto values = [] {
    OptimizerOptions optimizer;
    optimizer.learning_rate = 0.01;
    Trained trained(small_network(), optimizer, 1);
    LogicStepOptions options;
    options.regularizers.set_laws(0.1F);
    options.dropout = 0.3F;
    ThreadPool pool(1);
    const auto device = open_device("cuda");
    LogicStep step(trained.network, trained.variables, trained.optimizer, pool, options, device.get());
    Random random(4);
    for (int i = 0; i < 4; ++i) {
      const ExpressionBatch batch = batch_of(random_forms(random, {.expressions = 8, .variables = kVariables}));
      const std::vector<float> labels(batch.size(), 1.0F);
      step.queue(batch, {.labels = labels}, random);
    }
    step.finish();
    const auto parameters = trained.network.parameters().values();
    std::vector<float> all(parameters.begin(), parameters.end());
    all.insert(all.end(), trained.variables.values().begin(), trained.variables.values().end());
    return all;
  };
  EXPECT_EQ(values(), values());
}

TEST(DeviceEvaluation, ScoresLikeTheCpu) {
  Random random(6);
  LogicNetwork network(small_network());
  network.initialize(random, 0.4F);
  const std::vector<float> table = random_table(random, kVariables, network.width());
  ThreadPool pool(1);
  const auto device = open_device("cuda");
  const auto evaluation = device->evaluate(network);
  for (int i = 0; i < 3; ++i) {
    Plan plan;
    PlanBuilder().build(batch_of(random_forms(random, {.expressions = 9, .variables = kVariables})), nullptr, plan);
    GradientRun run(network, pool);
    const auto expected = run.forward(plan, table.data());
    std::vector<float> found(plan.roots.size());
    evaluation->scores(plan, table.data(), found);
    expect_near(expected, found, "scores");
    std::vector<float> vectors(plan.roots.size() * network.width());
    evaluation->root_vectors(plan, table.data(), vectors);
    for (std::size_t r = 0; r < plan.roots.size(); ++r) {
      const float* row = run.forward_memory().vector(plan.roots[r]);
      expect_near({row, network.width()}, std::span(vectors).subspan(r * network.width(), network.width()), "vector");
    }
    network.initialize(random, 0.4F);
    evaluation->reload();
  }
}

TEST(Devices, AreNamedAndRefuseWhatTheyDoNotKnow) {
  EXPECT_EQ(open_device("cpu"), nullptr);
  EXPECT_NE(open_device("cuda:0"), nullptr);
  for (const char* name : {"gpu", "cuda:", "cuda:x", "cuda:-1", "CUDA"}) EXPECT_THROW(open_device(name), InputError);
  EXPECT_THROW(open_device("cuda:999"), Failure);
  const auto device = open_device("cuda");
  std::vector<NetworkOptions> unknown(5, small_network());
  unknown[0].gate.depth = 2;
  unknown[1].gate.structure = Structure::kResidual;
  unknown[2].and_structure = Structure::kMlpProduct;
  unknown[3].similarity = SimilarityKind::kMlp;
  unknown[4].negation.structure = Structure::kResidual;
  for (const NetworkOptions& options : unknown) {
    const LogicNetwork network(options);
    EXPECT_THROW(device->evaluate(network), InputError);
  }
}

}  // namespace
}  // namespace linn::cuda
