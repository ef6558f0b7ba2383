#include "linn/kernels/update_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "kernels/targets.h"

namespace linn {
namespace {

class UpdateKernels : public EveryInstructionSet {};
LINN_TEST_EVERY_INSTRUCTION_SET(UpdateKernels);

constexpr UpdateKind kKinds[] = {UpdateKind::kSgd, UpdateKind::kAdagrad, UpdateKind::kAdam};

UpdateRule make_rule(UpdateKind kind, float decay) {
  UpdateRule rule;
  rule.kind = kind;
  rule.beta1 = 0.9F;
  rule.rest1 = 0.1F;
  rule.beta2 = 0.999F;
  rule.rest2 = 0.001F;
  rule.epsilon = 1e-8F;
  rule.decay = decay;
  return rule;
}

TEST_P(UpdateKernels, ApplyUpdate) {
  const StepFactors step{0.1F, 1.5F, 0.01F};
  for (const UpdateKind kind : kKinds) {
    UpdateRule rule = make_rule(kind, 0.03F);
    rule.clip = 0.4F;
    for (const std::size_t size : kLengths) {
      for (const std::size_t offset : kOffsets) {
        SCOPED_TRACE(testing::Message() << static_cast<int>(kind) << " size " << size << " offset " << offset);
        Array g(size, offset, 1);
        Array m(size, 0, 2);
        Array v(size, 3, 3);
        Array p(size, offset + 1, 4);
        for (std::size_t i = 0; i < size; ++i) v[i] = std::abs(v[i]) + 0.01F;
        const std::vector<float> old_m = m.values();
        const std::vector<float> old_v = v.values();
        const std::vector<float> old_p = p.values();
        apply_update(rule, step, 0.7F, size, g.data(), rule.has_m() ? m.data() : nullptr,
                     rule.has_v() ? v.data() : nullptr, p.data());
        ASSERT_TRUE(m.intact() && v.intact() && p.intact());
        for (std::size_t i = 0; i < size; ++i) {
          const double gradient = std::clamp(0.7 * double{g[i]}, -0.4, 0.4) + 0.03 * double{old_p[i]};
          double new_m = old_m[i];
          double new_v = old_v[i];
          double move = gradient;
          if (kind == UpdateKind::kAdagrad) {
            new_v += gradient * gradient;
            move = gradient / (std::sqrt(new_v) + 1e-8);
          }
          if (kind == UpdateKind::kAdam) {
            new_m = 0.9 * new_m + 0.1 * gradient;
            new_v = 0.999 * new_v + 0.001 * gradient * gradient;
            move = new_m / (1.5 * std::sqrt(new_v) + 1e-8);
          }
          ASSERT_NEAR(m[i], new_m, 5e-7);
          ASSERT_NEAR(v[i], new_v, 5e-7);
          ASSERT_NEAR(p[i], 0.99 * double{old_p[i]} - 0.1 * move, 5e-7);
        }
      }
    }
  }
}

// Values from large to far below the normal range, zeros among them.
std::vector<float> wide_range(std::size_t size, unsigned seed, bool positive) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> exponent(-44, 2);
  std::vector<float> values(size);
  for (std::size_t i = 0; i < size; ++i) {
    const auto sign = static_cast<float>(positive || generator() % 2 == 0 ? 1 : -1);
    values[i] = i % 7 == 3 ? 0.0F : sign * std::pow(10.0F, i % 3 == 0 ? exponent(generator) / 20 : exponent(generator));
  }
  return values;
}

TEST_P(UpdateKernels, ReplayIsRepeatedUpdatesToTheBit) {
  for (const UpdateKind kind : kKinds) {
    for (const float decay : {0.0F, 1e-4F, 0.1F}) {
      for (const float shrink : {0.0F, 1e-9F, 1e-3F, 0.2F}) {
        for (const std::size_t count : {0, 1, 2, 7, 8, 9, 40, 700, 3000}) {
          for (const std::size_t size : {3, 16, 64, 67}) {
            if (count > 100 && size == 16) continue;
            SCOPED_TRACE(testing::Message() << static_cast<int>(kind) << " decay " << decay << " shrink " << shrink
                                            << " count " << count << " size " << size);
            const UpdateRule rule = make_rule(kind, decay);
            std::vector<StepFactors> steps;
            float largest = 0;
            for (std::size_t i = 0; i < count; ++i) {
              const auto t = static_cast<float>(i % 50);
              steps.push_back({1e-2F * (1 + t / 10), 1 + 1 / (1 + t), shrink / (1 + t)});
              largest = std::max(largest, steps.back().rate);
            }
            std::vector<float> m = wide_range(size, 1, false);
            std::vector<float> v = wide_range(size, 2, true);
            std::vector<float> p = wide_range(size, 3, false);
            std::vector<float> slow_m = m;
            std::vector<float> slow_v = v;
            std::vector<float> slow_p = p;
            for (const StepFactors& step : steps) {
              apply_update(rule, step, 1, size, nullptr, slow_m.data(), slow_v.data(), slow_p.data());
            }
            replay_updates(rule, replay_bounds(rule, largest, shrink, count), steps, size, m.data(), v.data(),
                           p.data());
            // Compared as numbers: the sign of a zero does not matter.
            for (std::size_t i = 0; i < size; ++i) {
              ASSERT_EQ(m[i], slow_m[i]) << i;
              ASSERT_EQ(v[i], slow_v[i]) << i;
              ASSERT_EQ(p[i], slow_p[i]) << i;
            }
          }
        }
      }
    }
  }
}

TEST_P(UpdateKernels, ReplayKeepsToItsArrays) {
  const UpdateRule rule = make_rule(UpdateKind::kAdam, 0);
  const std::vector<StepFactors> steps(30, StepFactors{1e-3F, 1, 0});
  for (const std::size_t size : kLengths) {
    for (const std::size_t offset : kOffsets) {
      Array m(size, offset, 1);
      Array v(size, offset, 2);
      Array p(size, offset, 3);
      for (std::size_t i = 0; i < size; ++i) v[i] = std::abs(v[i]);
      replay_updates(rule, replay_bounds(rule, 1e-3F, 0, 30), steps, size, m.data(), v.data(), p.data());
      ASSERT_TRUE(m.intact() && v.intact() && p.intact()) << size << " " << offset;
    }
  }
}

TEST_P(UpdateKernels, MoveTowards) {
  for (const std::size_t size : kLengths) {
    for (const std::size_t offset : kOffsets) {
      Array x(size, offset, 1);
      Array mean(size, 0, 2);
      const std::vector<float> old = mean.values();
      move_towards(size, 0.25F, x.data(), mean.data());
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_NEAR(mean[i], 0.75 * double{old[i]} + 0.25 * double{x[i]}, 2e-7);
      }
      EXPECT_TRUE(mean.intact());
    }
  }
}

}  // namespace
}  // namespace linn
