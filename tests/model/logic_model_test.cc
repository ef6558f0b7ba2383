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
  LogicModel model(options, some_names());
  Random random(seed);
  model.network.initialize(random, 0.3F);
  model.variables.initialize_normal(random, 0.3F);
  return model;
}

// A training that can be stopped and taken up again.
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

void save_one(const LogicModel& model, const std::filesystem::path& path, const ModelNotes& notes = {}) {
  const LogicModel* one = &model;
  save_models({&one, 1}, path, notes);
}

std::vector<LogicModel> load(const std::filesystem::path& path) { return load_models(SafetensorsFile::read(path)); }

void save_checkpoint_of(LogicModel& model, Optimizer& optimizer, const TrainingPosition& position,
                        const std::filesystem::path& path) {
  const TrainedModel one = {&model, &optimizer};
  save_checkpoint({&one, 1}, position, path);
}

TrainingPosition load_checkpoint_into(LogicModel& model, Optimizer& optimizer, const std::filesystem::path& path) {
  const TrainedModel one = {&model, &optimizer};
  return load_checkpoint({&one, 1}, path);
}

TEST(LogicModel, ComesBackAsItWas) {
  const TempFolder folder;
  LogicModel saved = some_model(1);
  save_one(saved, folder.path() / "model.safetensors", {{"config", R"({"epochs": 3})"}});
  const std::vector<LogicModel> models = load(folder.path() / "model.safetensors");
  ASSERT_EQ(models.size(), 1U);
  const LogicModel& loaded = models[0];

  ASSERT_EQ(loaded.names.size(), saved.names.size());
  for (VariableId id = 0; id < saved.names.size(); ++id) EXPECT_EQ(loaded.names.name(id), saved.names.name(id));
  EXPECT_EQ(SafetensorsFile::read(folder.path() / "model.safetensors").metadata("config"), R"({"epochs": 3})");
  EXPECT_TRUE(std::ranges::equal(loaded.network.parameters().values(), saved.network.parameters().values()));
  EXPECT_TRUE(std::ranges::equal(loaded.network.true_vector(), std::as_const(saved).network.true_vector()));
  EXPECT_TRUE(std::ranges::equal(loaded.variables.values(), std::as_const(saved).variables.values()));
  EXPECT_EQ(loaded.network.options().gate.structure, Structure::kResidual);
  EXPECT_EQ(loaded.network.options().similarity, SimilarityKind::kMlp);
  EXPECT_EQ(loaded.network.hidden(), 24U);
}

TEST(LogicModel, SeveralNetworksShareAFile) {
  const TempFolder folder;
  const auto path = folder.path() / "model.safetensors";
  Training first(1);
  Training second(2);
  const LogicModel* both[] = {&first.model, &second.model};
  save_models(both, path);
  const std::vector<LogicModel> loaded = load(path);
  ASSERT_EQ(loaded.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(std::ranges::equal(loaded[i].variables.values(), both[i]->variables.values()));
    EXPECT_TRUE(std::ranges::equal(loaded[i].network.parameters().values(), both[i]->network.parameters().values()));
  }
}

TEST(LogicModel, ResumedTrainingContinuesBitForBit) {
  const TempFolder folder;
  const auto path = folder.path() / "checkpoint.safetensors";
  Training straight(7);
  straight.run(5);
  TrainingPosition where;
  where.epoch = 2;
  where.best_epoch = 1;
  where.best_score = 0.75;
  where.seconds = 9.0;
  where.flip_rate = 0.1;  // has no exact binary form
  where.random = straight.random.state();
  save_checkpoint_of(straight.model, straight.optimizer, where, path);
  straight.run(7);
  straight.optimizer.flush(straight.pool);

  Training resumed(99);  // another start, all of which is replaced
  const TrainingPosition position = load_checkpoint_into(resumed.model, resumed.optimizer, path);
  EXPECT_EQ(position.epoch, 2U);
  EXPECT_EQ(position.best_epoch, 1U);
  EXPECT_EQ(position.best_score, 0.75);
  EXPECT_EQ(position.seconds, 9.0);
  EXPECT_EQ(position.flip_rate, 0.1);
  resumed.random.set_state(position.random);
  resumed.run(7);
  resumed.optimizer.flush(resumed.pool);

  EXPECT_TRUE(std::ranges::equal(std::as_const(straight.model).variables.values(),
                                 std::as_const(resumed.model).variables.values()));
  EXPECT_TRUE(
      std::ranges::equal(straight.model.network.parameters().values(), resumed.model.network.parameters().values()));
}

TEST(LogicModel, AnotherModelsCheckpointIsRefused) {
  const TempFolder folder;
  const auto path = folder.path() / "checkpoint.safetensors";
  Training training(1);
  save_checkpoint_of(training.model, training.optimizer, {}, path);

  LogicModel narrower(NetworkOptions::paper(8), some_names());
  Optimizer optimizer({}, narrower.network.parameters(), {&narrower.variables});
  EXPECT_THROW(load_checkpoint_into(narrower, optimizer, path), InputError);
  EXPECT_THROW(load(folder.path() / "missing"), InputError);
}

TEST(LogicModel, ACutFileIsRefused) {
  const TempFolder folder;
  const auto path = folder.path() / "model.safetensors";
  save_one(some_model(3), path);
  const std::string whole = read_file(path);
  for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 97) {
    write_file(path, whole.substr(0, size));
    EXPECT_THROW(load(path), InputError) << size;
  }
}

}  // namespace
}  // namespace linn
