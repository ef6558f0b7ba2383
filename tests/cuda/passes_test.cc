// Passes on the device against those on the CPU: scores, gradients, laws and lengths on random plans. Without a GPU the
// kernels run in an emulated runtime (tests/support/cuda).
#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "cuda/device_trial.h"
#include "linn/nn/law_pass.h"
#include "nn/random_network.h"

namespace linn::cuda {
namespace {

constexpr std::size_t kVariables = 6;

struct Case {
  const char* name;
  NetworkOptions network;
  bool chains = false;
};

NetworkOptions small_network(std::size_t width, std::size_t gate_hidden, std::size_t negation_hidden) {
  NetworkOptions options = NetworkOptions::authors(width);
  options.gate.hidden = gate_hidden;
  options.negation.hidden = negation_hidden;
  return options;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  all.push_back({"Authors", small_network(8, 16, 8)});
  all.push_back({"Odd", small_network(5, 11, 7)});
  all.push_back({"Wide", small_network(70, 66, 70)});
  all.push_back({"Paper", NetworkOptions::paper(8)});
  NetworkOptions tanh = small_network(6, 9, 10);
  tanh.gate.activation = Activation::kTanh;
  tanh.negation.activation = Activation::kLeakyRelu;
  tanh.similarity = SimilarityKind::kDot;
  all.push_back({"TanhDot", tanh});
  NetworkOptions fold = small_network(8, 16, 8);
  fold.and_structure = Structure::kProduct;
  fold.or_structure = Structure::kLeftResidual;
  fold.similarity = SimilarityKind::kDot;
  fold.length_bound = 1.5F;
  all.push_back({"FoldNetwork", fold});
  all.push_back({"Chains", fold, true});
  NetworkOptions reversed = fold;
  reversed.and_structure = Structure::kLeftResidual;
  reversed.or_structure = Structure::kProduct;
  all.push_back({"OrProduct", reversed});
  all.push_back({"OrProductChains", reversed, true});
  all.push_back({"MlpChains", small_network(8, 12, 8), true});
  return all;
}

class Passes : public testing::TestWithParam<Case> {};

// All kinds of regularizers, and sampled laws.
RegularizerOptions regularizers_of(std::uint64_t seed, Random& random) {
  RegularizerOptions options = random_regularizers(random);
  if (seed % 3 == 1) options.set_laws(0.2F);
  if (seed % 3 == 2) {
    options.set_laws(0.2F);
    options.law_share = 0.4F;
  }
  return options;
}

TEST_P(Passes, AreThoseOfTheCpu) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    ThreadPool pool(1);
    LogicNetwork network(GetParam().network);
    network.initialize(random, 0.4F);
    const std::vector<float> table = random_table(random, kVariables, network.width());
    ExpressionBatch batch;
    if (GetParam().chains) {
      for (int i = 0; i < 3; ++i) add_random_chain(random, 7, kVariables, batch);
    } else {
      batch = batch_of(random_forms(random, {}));
    }
    Plan plan;
    PlanBuilder().build(batch, GetParam().chains ? nullptr : &random, plan);
    const RegularizerOptions regularizers = regularizers_of(seed, random);
    const std::vector<float> d_scores = random_gradients(random, plan.roots.size());

    Random of_cpu = random;
    GradientRun run(network, pool);
    const EngineResult expected =
        run_engine(run, plan, table, d_scores, {.regularizers = &regularizers, .random = &of_cpu});

    for (const bool avoid_chains : {false, true}) {
      DeviceTrial trial(network);
      Random of_device = random;
      const EngineResult found = trial.run(plan, table, d_scores, regularizers, of_device, avoid_chains);
      EXPECT_EQ(trial.uses_chains(),
                GetParam().chains && !avoid_chains && GetParam().network.or_structure != Structure::kProduct);
      expect_near(expected.scores, found.scores, "scores");
      expect_near(expected.d_variables, found.d_variables, "gradients of the variables");
      expect_near(expected.d_parameters, found.d_parameters, "gradients of the parameters");
      for (std::size_t law = 0; law < kLaws; ++law) {
        EXPECT_NEAR(expected.regularizers.laws[law], found.regularizers.laws[law],
                    1e-4 * (1.0 + std::abs(expected.regularizers.laws[law])))
            << "law " << law;
      }
      EXPECT_NEAR(expected.regularizers.length, found.regularizers.length, 1e-4 * (1.0 + expected.regularizers.length));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, Passes, testing::ValuesIn(cases()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace linn::cuda
