#include "linn/nn/lane_gradients.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "linn/base/random.h"
#include "linn/kernels/matmul.h"
#include "linn/nn/lanes.h"

namespace linn {
namespace {

std::vector<float> random_values(std::size_t size, Random& random) {
  std::vector<float> values(size);
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

// Adds `blocks` blocks of 1 to 96 rows, in each of several steps, and compares the totals of two lanes with sums that
// are stored after every block.
void check(std::size_t inputs, std::size_t outputs, std::size_t blocks) {
  SCOPED_TRACE(testing::Message() << inputs << "×" << outputs << ", " << blocks << " blocks");
  ParameterSet parameters;
  const std::size_t weight = parameters.add("weight", inputs, outputs);
  const std::size_t bias = parameters.add("bias", 1, outputs, ParameterKind::kBias);
  Random random(inputs + blocks);
  std::vector<LaneGradients> lanes(2, LaneGradients(parameters));
  for (int step = 0; step < 3; ++step) {
    ParameterGradients total(parameters);
    std::vector<float> expected(inputs * outputs, 0.0F);
    std::vector<float> expected_bias(outputs, 0.0F);
    for (LaneGradients& lane : lanes) {
      lane.clear();
      std::vector<float> sum(inputs * outputs, 0.0F);
      std::vector<float> bias_sum(outputs, 0.0F);
      // In the second step a lane has less to add, in the third nothing.
      const std::size_t own = step == 0 ? blocks : step == 1 ? 1 : 0;
      for (std::size_t block = 0; block < own; ++block) {
        const std::size_t rows = 1 + random.below(kBlockRows);
        const std::size_t stride = outputs + 3;
        std::vector<float> x = random_values(rows * inputs, random);
        std::vector<float> dy = random_values(rows * stride, random);
        matmul({inputs, outputs, rows}, transposed(x.data(), inputs), dy.data(), stride, sum.data(), outputs,
               {.accumulate = true});
        lane.add_product(weight, rows, x.data(), dy.data(), stride);
        std::fill(x.begin(), x.end(), 0.0F);
        lane.of(bias).data[block % outputs] += dy[0];
        bias_sum[block % outputs] += dy[0];
        std::fill(dy.begin(), dy.end(), 0.0F);
      }
      for (std::size_t i = 0; i < sum.size(); ++i) expected[i] += sum[i];
      for (std::size_t i = 0; i < outputs; ++i) expected_bias[i] += bias_sum[i];
    }
    for (LaneGradients& lane : lanes) {
      lane.finish_products();
      for (const std::size_t parameter : {weight, bias}) {
        for (std::size_t begin = 0; begin < outputs; begin += 50) {
          lane.add_to(parameter, begin, std::min(begin + 50, outputs), total.of(parameter));
        }
      }
    }
    const MatrixView sum = total.of(weight);
    EXPECT_EQ(std::vector<float>(sum.data, sum.data + inputs * outputs), expected);
    const MatrixView bias_total = total.of(bias);
    EXPECT_EQ(std::vector<float>(bias_total.data, bias_total.data + outputs), expected_bias);
  }
}

TEST(LaneGradients, HaveTheBitsOfSumsThatAreStoredAfterEveryBlock) {
  check(64, 64, 1);
  check(64, 64, 20);
  check(130, 128, 3);
  check(130, 128, 20);
  check(256, 256, 4);
  check(256, 256, 12);
  check(5, 7, 9);
}

}  // namespace
}  // namespace linn
