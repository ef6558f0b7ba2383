// Training that continues from a trained model: for every recommender that is trained by epochs, and for ensembles.
#include <gtest/gtest.h>

#include <limits>

#include "linn/base/file.h"
#include "linn/data/continued_data.h"
#include "linn/recommend/learn_recommender.h"
#include "linn/recommend/recommender_registry.h"
#include "linn/train/run_data.h"
#include "support/expect_error.h"
#include "support/random_interactions.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

struct Trial {
  std::string model;
  NamedValues settings;
};
std::ostream& operator<<(std::ostream& out, const Trial& trial) {
  out << trial.model;
  for (const auto& [name, value] : trial.settings) out << ' ' << name << '=' << value;
  return out;
}

InteractionData earlier_data() { return random_interactions({.users = 12, .items = 30, .seed = 1}); }
// Two more users and three more items.
InteractionData later_data() {
  InteractionData data;
  for (UserId user = 0; user < 4; ++user) data.users.intern("user" + std::to_string(10 + user));
  for (ItemId item = 0; item < 6; ++item) data.items.intern("item" + std::to_string(27 + item));
  for (UserId user = 0; user < 4; ++user) {
    for (ItemId item = 0; item < 5; ++item) data.train.push_back({user, item, (item + user) % 3 != 0, item});
    data.validation.push_back({user, 5, true, 9});
  }
  return data;
}

class ContinuedTraining : public testing::TestWithParam<Trial> {
 protected:
  std::unique_ptr<Settings> settings(const char* epochs) const {
    NamedValues changed = GetParam().settings;
    changed.emplace_back("d", "8");
    changed.emplace_back("epochs", epochs);
    return kind().settings(Preset::kBest, {100, 12, 30}, changed);
  }
  const RecommenderKind& kind() const { return recommender_registry().require(GetParam().model); }

  SafetensorsFile learn(const InteractionData& data, const char* epochs, std::shared_ptr<const SafetensorsFile> base,
                        bool resume = false) {
    const auto chosen = settings(epochs);
    RunConfig config;
    config.task = kRecommendTask;
    config.model = GetParam().model;
    config.options = chosen->values();
    Context context(5, 2);
    RunPlace place;
    place.base = std::move(base);
    place.resume = resume;
    place.folder = folder_ / std::to_string(resume ? runs_ - 1 : runs_++);
    learn_recommender(kind(), *chosen, config, data, place, context);
    return SafetensorsFile::read(place.folder / "model.safetensors");
  }

  const TempFolder folder_;
  int runs_ = 0;
};

const Trial kTrials[] = {{"linn", {}},
                         {"linn", {{"user_vectors", "true"}}},
                         {"linn", {{"form", "dnf"}, {"user_vectors", "true"}}},
                         {"linn", {{"ensemble", "2"}}},
                         {"bprmf", {}},
                         {"svdpp", {}},
                         {"svdpp", {{"train_on", "histories"}}},
                         {"stamp", {}},
                         {"gru4rec", {{"dislikes", "embedding"}}},
                         {"narm", {}},
                         {"sasrec", {}},
                         {"sasrec", {{"train_on", "histories"}}}};
INSTANTIATE_TEST_SUITE_P(Models, ContinuedTraining, testing::ValuesIn(kTrials));

TEST_P(ContinuedTraining, StartsFromTheTrainedValues) {
  const auto base = std::make_shared<const SafetensorsFile>(learn(earlier_data(), "2", nullptr));
  const InteractionData data = continue_data(earlier_data(), later_data());
  const SafetensorsFile start = learn(data, "0", base);
  std::size_t grown = 0;
  for (const TensorInfo& tensor : base->tensors()) {
    if (tensor.dtype != DType::kF32) continue;  // counts of the training data are of all data
    const TensorInfo* now = start.find(tensor.name);
    ASSERT_NE(now, nullptr) << tensor.name;
    const std::string_view before = base->bytes(tensor);
    EXPECT_EQ(start.bytes(*now).substr(0, before.size()), before) << tensor.name;
    if (now->shape != tensor.shape) ++grown;
  }
  EXPECT_GT(grown, 0U);
}

TEST_P(ContinuedTraining, IsResumedBitForBit) {
  const auto base = std::make_shared<const SafetensorsFile>(learn(earlier_data(), "2", nullptr));
  const InteractionData data = continue_data(earlier_data(), later_data());
  const SafetensorsFile whole = learn(data, "4", base);
  learn(data, "2", base);
  const SafetensorsFile resumed = learn(data, "4", base, true);
  ASSERT_EQ(resumed.tensors().size(), whole.tensors().size());
  for (const TensorInfo& tensor : whole.tensors()) {
    EXPECT_EQ(resumed.bytes(*resumed.find(tensor.name)), whole.bytes(tensor)) << tensor.name;
  }
}

TEST(ContinuedTrainings, RefuseAnotherStructureAndOtherData) {
  const TempFolder folder;
  const RecommenderKind& kind = recommender_registry().require("bprmf");
  const auto learn = [&](const InteractionData& data, const char* width, std::shared_ptr<const SafetensorsFile> base,
                         const char* replay = "0.2") {
    const auto settings =
        kind.settings(Preset::kBest, {}, NamedValues{{"d", width}, {"epochs", "1"}, {"replay", replay}});
    RunConfig config;
    config.task = kRecommendTask;
    config.model = "bprmf";
    config.options = settings->values();
    config.data = "shop";
    Context context(5, 1);
    RunPlace place;
    place.base = std::move(base);
    place.folder = folder / width;
    place.force = true;
    learn_recommender(kind, *settings, config, data, place, context);
    return std::make_shared<const SafetensorsFile>(SafetensorsFile::read(folder / width / "model.safetensors"));
  };
  const auto base = learn(earlier_data(), "8", nullptr);
  const InteractionData data = continue_data(earlier_data(), later_data());
  expect_input_error([&] { learn(data, "16", base); }, 0, 0, "must have its structure", "model.safetensors");
  expect_input_error([&] { learn(later_data(), "8", base); }, 0, 0, "have changed since it was trained", "shop");
  expect_input_error([&] { learn(earlier_data(), "8", nullptr, "0.5"); }, 0, 0, "replay is for a training that");

  SafetensorsWriter out;
  for (const auto& [key, value] : base->metadata()) {
    if (!SafetensorsWriter::is_reserved(key)) out.set_metadata(key, value);
  }
  const std::vector<float> infinite(34 * 8, std::numeric_limits<float>::infinity());
  for (const TensorInfo& tensor : base->tensors()) {
    if (tensor.name == "items") {
      out.add_bytes(tensor.name, tensor.dtype, tensor.shape,
                    {reinterpret_cast<const char*>(infinite.data()), base->bytes(tensor).size()});
    } else {
      out.add_bytes(tensor.name, tensor.dtype, tensor.shape, base->bytes(tensor));
    }
  }
  const auto broken =
      std::make_shared<const SafetensorsFile>(SafetensorsFile::parse(out.to_bytes(), "broken.safetensors"));
  expect_input_error([&] { learn(data, "8", broken); }, 0, 0, "'items' has values that are not finite",
                     "broken.safetensors");
}

}  // namespace
}  // namespace linn
