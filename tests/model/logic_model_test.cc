#include "linn/model/logic_model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/model/safetensors.h"
#include "linn/nn/losses.h"
#include "linn/train/logic_step.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

constexpr std::size_t kVariables = 30;

Vocabulary some_names() {
  Vocabulary names;
  names.intern("Star Wars (1977), \"episode\" IV");
  names.intern("größe");
  while (names.size() < kVariables) names.intern(fmt::format("v{}", names.size()));
  return names;
}

LogicModel some_model(std::uint64_t seed) {
  NetworkOptions options = NetworkOptions::authors(12);
  options.gate.structure = Structure::kResidual;
  options.similarity = SimilarityKind::kMlp;
  LogicModel model(options, kVariables);
  Random random(seed);
  model.network.initialize(random, 0.3F);
  model.variables.initialize_normal(random, 0.3F);
  return model;
}

// A training that can be stopped and resumed.
class Training {
 public:
  explicit Training(std::uint64_t seed)
      : model(some_model(seed)),
        optimizer(optimizer_options(), model.network.parameters(), {&model.variables}),
        pool(2),
        step(model.network, model.variables, optimizer, pool, step_options()),
        random(seed) {}

  void run(std::size_t steps) {
    for (std::size_t i = 0; i < steps; ++i) {
      ExpressionBatch batch;
      std::vector<float> labels;
      for (int e = 0; e < 6; ++e) {
        for (int c = 0; c < 2; ++c) {
          std::vector<Literal> clause(2);
          for (Literal& l : clause)
            l = Literal::of(static_cast<VariableId>(random.below(kVariables)), random.chance(0.5));
          batch.add_clause(clause);
        }
        batch.end_expression(Form::kDnf);
        labels.push_back(random.chance(0.5) ? 1.0F : 0.0F);
      }
      step.run(
          batch, [&](auto scores, auto d_scores) { return cross_entropy(scores, labels, 0.0, d_scores); }, random);
    }
  }

  static OptimizerOptions optimizer_options() {
    OptimizerOptions options;
    options.weight_decay = 1e-3;
    options.schedule = {};
    return options;
  }
  static LogicStepOptions step_options() {
    LogicStepOptions options;
    options.regularizers.set_laws(0.1F);
    options.dropout = 0.2F;
    return options;
  }

  LogicModel model;
  Optimizer optimizer;
  ThreadPool pool;
  LogicStep step;
  Random random;
};

SafetensorsFile file_of(std::span<const LogicModel* const> models) {
  SafetensorsWriter out;
  add_models(out, some_names(), models);
  return SafetensorsFile::parse(out.to_bytes(), "model");
}

SafetensorsFile checkpoint_of(Training& training, const TrainingPosition& position) {
  const TrainedModel one = {&training.model, &training.optimizer};
  SafetensorsWriter out;
  add_checkpoint(out, some_names(), {&one, 1}, position);
  return SafetensorsFile::parse(out.to_bytes(), "checkpoint");
}

TEST(LogicModel, RoundTrips) {
  const LogicModel saved = some_model(1);
  const LogicModel* const one = &saved;
  const LogicEnsemble ensemble = load_models(file_of({&one, 1}));
  ASSERT_EQ(ensemble.members.size(), 1U);
  const LogicModel& loaded = ensemble.members[0];

  const Vocabulary names = some_names();
  ASSERT_EQ(ensemble.names.size(), names.size());
  for (VariableId id = 0; id < names.size(); ++id) EXPECT_EQ(ensemble.names.name(id), names.name(id));
  EXPECT_TRUE(std::ranges::equal(loaded.network.parameters().values(), saved.network.parameters().values()));
  EXPECT_TRUE(std::ranges::equal(loaded.network.true_vector(), saved.network.true_vector()));
  EXPECT_TRUE(std::ranges::equal(loaded.variables.values(), saved.variables.values()));
  EXPECT_EQ(loaded.network.options().gate.structure, Structure::kResidual);
  EXPECT_EQ(loaded.network.options().similarity, SimilarityKind::kMlp);
  EXPECT_EQ(loaded.network.hidden(Gate::kAnd), 24U);
}

TEST(LogicModel, SeveralNetworksShareAFile) {
  const LogicModel first = some_model(1);
  const LogicModel second = some_model(2);
  const LogicModel* both[] = {&first, &second};
  const std::vector<LogicModel> loaded = load_models(file_of(both)).members;
  ASSERT_EQ(loaded.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(std::ranges::equal(loaded[i].variables.values(), both[i]->variables.values()));
    EXPECT_TRUE(std::ranges::equal(loaded[i].network.parameters().values(), both[i]->network.parameters().values()));
  }
}

TEST(LogicModel, RejectsMoreNetworksThanTheFileHolds) {
  const LogicModel saved = some_model(1);
  const LogicModel* const one = &saved;
  SafetensorsWriter out;
  add_models(out, some_names(), {&one, 1});
  out.set_metadata("members", "1000000");
  const SafetensorsFile file = SafetensorsFile::parse(out.to_bytes(), "model");
  expect_input_error([&] { load_models(file); }, 0, 0, "members must be a whole number from 1 to", "model");
}

TEST(LogicModel, ResumedTrainingContinuesBitForBit) {
  Training straight(7);
  straight.run(5);
  TrainingPosition where;
  where.epoch = 2;
  where.best_epoch = 1;
  where.best_score = 0.75;
  where.seconds = 9.0;
  where.label_noise = 0.1;  // not exactly representable in binary
  where.random = straight.random.state();
  const SafetensorsFile checkpoint = checkpoint_of(straight, where);
  straight.run(7);
  straight.optimizer.flush(straight.pool);

  Training resumed(99);  // another initialisation, all of which is replaced
  const TrainedModel one = {&resumed.model, &resumed.optimizer};
  const TrainingPosition position = load_checkpoint(checkpoint, some_names(), {&one, 1});
  EXPECT_EQ(position.epoch, 2U);
  EXPECT_EQ(position.best_epoch, 1U);
  EXPECT_EQ(position.best_score, 0.75);
  EXPECT_EQ(position.seconds, 9.0);
  EXPECT_EQ(position.label_noise, 0.1);
  resumed.random.set_state(position.random);
  resumed.run(7);
  resumed.optimizer.flush(resumed.pool);

  EXPECT_TRUE(std::ranges::equal(std::as_const(straight.model).variables.values(),
                                 std::as_const(resumed.model).variables.values()));
  EXPECT_TRUE(
      std::ranges::equal(straight.model.network.parameters().values(), resumed.model.network.parameters().values()));
}

TEST(LogicModel, RejectsPositionsThatNoTrainingReaches) {
  Training training(8);
  const TrainedModel one = {&training.model, &training.optimizer};
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 62U;
  for (const auto& [epoch, best] : {std::pair<std::uint64_t, std::uint64_t>{2, 3}, {kHuge, 1}}) {
    TrainingPosition position;
    position.epoch = epoch;
    position.best_epoch = best;
    const SafetensorsFile checkpoint = checkpoint_of(training, position);
    expect_input_error(
        [&] {
          load_checkpoint(checkpoint, some_names(), {&one, 1});
        },
        0, 0, "no valid training position", "checkpoint");
  }
}

TEST(LogicModel, RejectsTheCheckpointOfAnotherModel) {
  Training training(1);
  const SafetensorsFile checkpoint = checkpoint_of(training, {});
  const Vocabulary names = some_names();

  LogicModel narrower(NetworkOptions::paper(8), kVariables);
  Optimizer optimizer({}, narrower.network.parameters(), {&narrower.variables});
  const TrainedModel narrow = {&narrower, &optimizer};
  expect_input_error([&] { load_checkpoint(checkpoint, names, {&narrow, 1}); }, 0, 0, "another shape", "checkpoint");

  Vocabulary renamed;
  for (VariableId id = 0; id < names.size(); ++id) renamed.intern(names.name(id) + "'");
  const TrainedModel same = {&training.model, &training.optimizer};
  expect_input_error([&] { load_checkpoint(checkpoint, renamed, {&same, 1}); }, 0, 0, "other variables", "checkpoint");
  const TrainedModel twice[] = {same, same};
  expect_input_error([&] { load_checkpoint(checkpoint, names, twice); }, 0, 0, "1 networks, not 2", "checkpoint");
}

}  // namespace
}  // namespace linn
