// A loaded recommender has no training memory.
#include <gtest/gtest.h>

#include "linn/base/error.h"
#include "linn/recommend/protocol/trained_recommender.h"
#include "linn/recommend/recommender_registry.h"
#include "support/allocation_count.h"
#include "support/random_interactions.h"

namespace linn {
namespace {

class LoadedModel : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kinds, LoadedModel,
                         testing::Values("linn", "bprmf", "svdpp", "stamp", "gru4rec", "narm", "sasrec"),
                         [](const auto& test) { return test.param; });

struct Saved {
  std::unique_ptr<Settings> settings;
  Catalogue catalogue;
  std::string bytes;
  std::size_t allocated = 0;  // by the model for training
};

Saved save_untrained(const RecommenderKind& kind) {
  InteractionRecipe recipe;
  recipe.items = 3000;
  const InteractionData data = random_interactions(recipe);
  Saved saved = {kind.settings(Preset::kBest, {}, NamedValues{{"d", "32"}}), catalogue_of(data), {}, 0};
  Context context;
  const Histories histories(data);
  const std::size_t before = allocated_bytes();
  const auto model = kind.make(*saved.settings, histories, context);
  saved.allocated = allocated_bytes() - before;
  SafetensorsWriter out;
  model->add_values(out, {});
  saved.bytes = out.to_bytes();
  return saved;
}

// The optimizer alone has two moments per weight.
TEST_P(LoadedModel, AllocatesNoGradientsAndNoOptimizer) {
  const RecommenderKind& kind = recommender_registry().require(GetParam());
  const Saved saved = save_untrained(kind);
  const auto file = SafetensorsFile::parse(saved.bytes, "model");
  const std::size_t before = allocated_bytes();
  const auto model = kind.load(*saved.settings, file, saved.catalogue, {});
  const std::size_t allocated = allocated_bytes() - before;
  EXPECT_LT(allocated + 2 * saved.bytes.size(), saved.allocated);
}

TEST_P(LoadedModel, CannotBeTrained) {
  const RecommenderKind& kind = recommender_registry().require(GetParam());
  const Saved saved = save_untrained(kind);
  const auto model = kind.load(*saved.settings, SafetensorsFile::parse(saved.bytes, "model"), saved.catalogue, {});
  auto& trainable = dynamic_cast<TrainableRankingModel&>(*model);
  const std::vector<Event> history = {{1, true}};
  RankingBatch batch;
  batch.queries = {{UserId{0}, history}};
  batch.items = {2, 3};
  Random random(1);
  ThreadPool threads(1);
  EXPECT_THROW(trainable.train_step(batch, random, threads), Failure);
}

}  // namespace
}  // namespace linn
