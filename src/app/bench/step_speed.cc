#include "app/bench/step_speed.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "app/bench/exchange_speed.h"
#include "linn/metrics/median.h"
#include "linn/nn/losses.h"
#include "linn/nn/operation_count.h"
#include "linn/train/logic_step.h"
#include "linn/train/sharded_logic_step.h"

namespace linn::app {
namespace {

constexpr std::size_t kBatch = 128;
constexpr std::size_t kHistory = 10;
constexpr std::size_t kQueuedSteps = 400;  // on a device, between two times

bool is_recommendation(SpeedData data) { return data == SpeedData::kMl100kDnf || data == SpeedData::kMl100kFactored; }

std::size_t variable_count(SpeedData data) {
  switch (data) {
    case SpeedData::kEquations1k:
      return 1000;
    case SpeedData::kEquations10k:
      return 10000;
    default:
      return 1682;
  }
}

// The paper's recipe: 1 to 5 clauses of 1 to 5 literals, each negated with probability 1/2.
void add_equation(ExpressionBatch& batch, std::size_t variables, Random& random) {
  std::vector<Literal> clause;
  const std::int64_t clauses = random.between(1, 5);
  for (std::int64_t i = 0; i < clauses; ++i) {
    clause.resize(static_cast<std::size_t>(random.between(1, 5)));
    for (Literal& l : clause) {
      l = Literal::of(static_cast<VariableId>(random.below(variables)), random.chance(0.5));
    }
    batch.add_clause(clause);
  }
  batch.end_expression(Form::kDnf);
}

// Few items have most of the ratings: on ML-100k a fifth of the items have about two thirds of them.
VariableId popular_item(std::size_t items, Random& random) {
  const double u = random.uniform();
  return static_cast<VariableId>(static_cast<double>(items) * u * u * u * u);
}

void add_target(ExpressionBatch& batch, const std::vector<Literal>& history, VariableId target, bool factored) {
  const Literal t = Literal::of(target, false);
  if (factored) {
    batch.add_clause(history);
    batch.add_clause({&t, 1});
    batch.end_expression(Form::kCnf);
    return;
  }
  for (const Literal h : history) {
    const Literal clause[] = {h, t};
    batch.add_clause(clause);
  }
  batch.end_expression(Form::kDnf);
}

// Positives first, then one negative for each with the same history.
void fill_recommendation(ExpressionBatch& batch, bool factored, std::size_t items, std::size_t examples,
                         Random& random) {
  constexpr double kDislikes = 0.45;  // share of ML-100k's ratings below 4
  std::vector<std::vector<Literal>> histories(examples);
  for (auto& history : histories) {
    for (std::size_t i = 0; i < kHistory; ++i) {
      history.push_back(Literal::of(popular_item(items, random), random.chance(kDislikes)));
    }
    add_target(batch, history, popular_item(items, random), factored);
  }
  for (const auto& history : histories) {
    add_target(batch, history, static_cast<VariableId>(random.below(items)), factored);
  }
}

ExpressionBatch make_batch(SpeedData data, std::size_t examples, Random& random) {
  ExpressionBatch batch;
  const std::size_t variables = variable_count(data);
  if (is_recommendation(data)) {
    fill_recommendation(batch, data == SpeedData::kMl100kFactored, variables, examples, random);
  } else {
    for (std::size_t i = 0; i < examples; ++i) add_equation(batch, variables, random);
  }
  return batch;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

std::string data_name(SpeedData data) {
  switch (data) {
    case SpeedData::kEquations1k:
      return "equations-1k";
    case SpeedData::kEquations10k:
      return "equations-10k";
    default:
      return "ml-100k";
  }
}

std::string form_name(SpeedData data) { return data == SpeedData::kMl100kFactored ? "factored" : "dnf"; }

namespace {

// What the steps of a case need.
struct StepBench {
  StepBench(const SpeedCase& speed_case, Random& random)
      : network(speed_case.authors ? NetworkOptions::authors(speed_case.width)
                                   : NetworkOptions::paper(speed_case.width)),
        variables("variables", variable_count(speed_case.data), speed_case.width) {
    network.initialize(random);
    variables.initialize_normal(random, 0.01F);
    options.regularizers.set_laws(speed_case.laws ? 0.01F : 0.0F);
    options.regularizers.length = 0.001F;
    options.regularizers.count_occurrences = speed_case.authors;
    options.regularizers.squared_length = !speed_case.authors;
    options.plan.negation_hides_variable = speed_case.authors && !is_recommendation(speed_case.data);
    OptimizerOptions optimizer_options;
    optimizer_options.weight_decay = 1e-5;
    optimizer_options.clip_value = 10.0;
    optimizer.emplace(optimizer_options, network.parameters(), std::vector<EmbeddingTable*>{&variables});
    for (float& label : labels) label = random.chance(0.5) ? 1.0F : 0.0F;
  }

  LogicNetwork network;
  EmbeddingTable variables;
  LogicStepOptions options;
  std::optional<Optimizer> optimizer;
  std::vector<float> labels = std::vector<float>(kBatch);
};

// `labels`: of the equations.
double loss_of(SpeedData data, std::span<const float> labels, std::span<const float> scores,
               std::span<float> d_scores) {
  if (is_recommendation(data)) return bpr(scores, BprOn::kScore, d_scores);
  return cross_entropy(scores, labels, 0.0, d_scores);
}

constexpr std::size_t kBatches = 8;  // different ones, so that neither branches nor cache lines are learned

}  // namespace

SpeedResult measure_step(const SpeedCase& speed_case, double seconds, std::uint64_t seed, TrainingDevice* device) {
  Random random(seed);
  ThreadPool pool(speed_case.threads);
  StepBench bench(speed_case, random);
  LogicNetwork& network = bench.network;
  const LogicStepOptions& options = bench.options;
  LogicStep step(network, bench.variables, *bench.optimizer, pool, options, device);
  const LogicStep::Loss loss = [&](std::span<const float> scores, std::span<float> d_scores) {
    return loss_of(speed_case.data, bench.labels, scores, d_scores);
  };

  std::vector<ExpressionBatch> batches;
  for (std::size_t i = 0; i < kBatches; ++i) batches.push_back(make_batch(speed_case.data, kBatch, random));

  SpeedResult result;
  std::vector<double> times;
  std::vector<double> plan_times;
  PlanBuilder builder(options.plan);
  Plan plan;
  const std::size_t repeats = device != nullptr ? kQueuedSteps : 1;
  const auto run = [&](std::size_t first) {
    if (device == nullptr) {
      step.run(batches[first % kBatches], loss, random);
      return training_operations(step.plan(), network, &options.regularizers);
    }
    ScoreLoss on_device = {.kind = ScoreLoss::Kind::kCrossEntropy, .labels = bench.labels};
    if (is_recommendation(speed_case.data)) on_device = {.kind = ScoreLoss::Kind::kBprScore, .group = 2};
    double needed = 0.0;
    for (std::size_t i = 0; i < repeats; ++i) {
      step.queue(batches[(first + i) % kBatches], on_device, random);
      if (i < kBatches) needed += training_operations(step.plan(), network, &options.regularizers);
    }
    step.finish();
    return needed / static_cast<double>(std::min(repeats, kBatches));
  };
  run(0);  // the first one allocates
  double operations = 0.0;
  std::vector<double> rates;
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < 3 || seconds_since(start) < seconds; ++i) {
    const ExpressionBatch& batch = batches[i % kBatches];
    const auto before = std::chrono::steady_clock::now();
    const double needed = run(i);
    times.push_back(seconds_since(before) / static_cast<double>(repeats));
    operations += needed;
    rates.push_back(needed / times.back());
    const auto before_plan = std::chrono::steady_clock::now();
    builder.build(batch, &random, plan);
    plan_times.push_back(seconds_since(before_plan));
  }
  result.gflop = operations / static_cast<double>(times.size()) * 1e-9;
  // Batches differ, so this is the median of the rates, not of the times.
  result.seconds = 1e9 * result.gflop / median(std::move(rates));
  result.plan_seconds = median(std::move(plan_times));
  return result;
}

ExchangeResult measure_step_exchange(const SpeedCase& speed_case, double seconds, std::uint64_t seed,
                                     ProcessGroup& processes) {
  Random random(seed);
  ThreadPool pool(speed_case.threads);
  StepBench bench(speed_case, random);
  Shards shards(shards_for(processes), processes, pool);
  ShardedLogicStep step(bench.network, bench.variables, *bench.optimizer, shards, bench.options);
  std::vector<std::vector<ExpressionBatch>> batches(kBatches);  // by batch and shard
  for (auto& batch : batches) {
    for (std::size_t i = 0; i < shards.count(); ++i) {
      batch.push_back(make_batch(speed_case.data, shards.part(kBatch, i).size(), random));
    }
  }
  std::size_t number = 0;
  const auto fill = [&](std::size_t shard, Random&, ExpressionBatch& batch) {
    batch = batches[number % kBatches][shard];
  };
  const auto loss = [&](std::size_t shard, std::span<const float> scores, std::span<float> d_scores) {
    return loss_of(speed_case.data, shards.part(std::span<const float>(bench.labels), shard), scores, d_scores);
  };
  const auto run = [&] {
    step.run(fill, loss, random);
    ++number;
    return step.variable_gradients().rows.size();
  };
  ExchangeResult result = measure_exchange(run, shards, seconds, processes);
  result.modules = bench.network.parameters().values().size();
  result.width = speed_case.width;
  return result;
}

std::vector<SpeedCase> speed_cases(std::size_t threads) {
  std::vector<SpeedCase> cases;
  for (const std::size_t width : {64U, 256U}) {
    for (const bool authors : {true, false}) {
      for (const SpeedData data :
           {SpeedData::kEquations1k, SpeedData::kEquations10k, SpeedData::kMl100kDnf, SpeedData::kMl100kFactored}) {
        for (const bool laws : {true, false}) cases.push_back({data, authors, width, laws, threads});
      }
    }
  }
  return cases;
}

}  // namespace linn::app
