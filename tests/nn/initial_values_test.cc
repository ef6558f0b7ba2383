#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "linn/base/random.h"
#include "linn/base/thread_pool.h"
#include "linn/kernels/elementwise.h"
#include "linn/nn/module_rows.h"

namespace linn {
namespace {

NetworkOptions fold_options(std::size_t width, std::size_t hidden, Structure conjunction) {
  NetworkOptions options = NetworkOptions::paper(width);
  options.gate.hidden = hidden;
  options.and_structure = conjunction;
  options.or_structure = Structure::kLeftResidual;
  options.similarity = SimilarityKind::kDot;
  return options;
}

double cosine(const std::vector<float>& a, const std::vector<float>& b) {
  const std::size_t d = a.size();
  return double{dot(d, a.data(), b.data())} /
         std::sqrt(double{squared_norm(d, a.data())} * double{squared_norm(d, b.data())});
}

TEST(LinearStart, OrIsASumAndAndAProduct) {
  constexpr std::size_t kWidth = 64;
  ThreadPool pool(1);
  for (const Structure conjunction : {Structure::kProduct, Structure::kMlpProduct}) {
    LogicNetwork network(fold_options(kWidth, 2 * kWidth, conjunction));
    Random random(1);
    network.initialize_linear(random);
    ModuleRows modules(network, pool);
    std::vector<float> a(kWidth), b(kWidth), sum(kWidth), product(kWidth), result(kWidth);
    for (std::size_t i = 0; i < kWidth; ++i) {
      a[i] = static_cast<float>(0.3 * random.normal());
      b[i] = static_cast<float>(0.3 * random.normal());
      sum[i] = 0.9F * a[i] + b[i];
      product[i] = a[i] * b[i];
    }
    modules.gate(Gate::kOr, 1, {a.data(), kWidth}, {b.data(), kWidth}, result.data());
    EXPECT_GT(cosine(result, sum), 0.98);
    modules.gate(Gate::kAnd, 1, {a.data(), kWidth}, {b.data(), kWidth}, result.data());
    EXPECT_GT(cosine(result, product), 0.95);
    // Its truth is the dot product.
    EXPECT_NEAR(dot(kWidth, result.data(), modules.true_row().data), dot(kWidth, a.data(), b.data()), 0.5F);
    // What resembles a is truer together with a than anything else.
    modules.gate(Gate::kAnd, 1, {a.data(), kWidth}, {a.data(), kWidth}, product.data());
    EXPECT_GT(dot(kWidth, product.data(), modules.true_row().data),
              dot(kWidth, result.data(), modules.true_row().data) + 0.5F);
  }
}

TEST(LinearStart, TakesWhatHiddenUnitsThereAre) {
  LogicNetwork network(fold_options(8, 5, Structure::kProduct));
  Random random(1);
  network.initialize_linear(random);
  for (const float value : network.parameters().values()) ASSERT_TRUE(std::isfinite(value));
  const ConstMatrixView out = network.parameters().value(network.parameters().find("or.out"));
  EXPECT_NEAR(out.row(2)[1] - out.row(3)[1], 2.0F, 0.5F);
}

TEST(LinearStart, NeedsModulesThatCanBeLinear) {
  NetworkOptions options = fold_options(8, 16, Structure::kProduct);
  EXPECT_TRUE(can_start_linear(options));
  options.gate.depth = 2;
  EXPECT_FALSE(can_start_linear(options));
  EXPECT_FALSE(can_start_linear(NetworkOptions::paper(8)));
  EXPECT_FALSE(can_start_linear(fold_options(8, 16, Structure::kMlp)));
}

}  // namespace
}  // namespace linn
