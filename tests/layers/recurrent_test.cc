// Rnn, Lstm and Gru, and the pair of directions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "layer_test.h"
#include "linn/layers/bidirectional.h"
#include "linn/layers/gru.h"
#include "linn/layers/lstm.h"
#include "linn/layers/rnn.h"

namespace linn {
namespace {

constexpr std::size_t kInputs = 5;
constexpr std::size_t kSize = 4;

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

// One element of one sequence, the obvious way. The state of an Lstm is h and then c.
struct NaiveRnn {
  using Layer = Rnn;
  static constexpr std::size_t kState = kSize;
  static Vector next(const Vector& a, const Vector& s, const Vector& /*state*/) {
    Vector h(kSize);
    for (std::size_t j = 0; j < kSize; ++j) h[j] = std::tanh(a[j] + s[j]);
    return h;
  }
};

struct NaiveLstm {
  using Layer = Lstm;
  static constexpr std::size_t kState = 2 * kSize;
  static Vector next(const Vector& a, const Vector& s, const Vector& state) {
    Vector result(kState);
    for (std::size_t j = 0; j < kSize; ++j) {
      const auto gate = [&](std::size_t k) { return a[k * kSize + j] + s[k * kSize + j]; };
      const double c = logistic(gate(1)) * state[kSize + j] + logistic(gate(0)) * std::tanh(gate(2));
      result[j] = logistic(gate(3)) * std::tanh(c);
      result[kSize + j] = c;
    }
    return result;
  }
};

struct NaiveGru {
  using Layer = Gru;
  static constexpr std::size_t kState = kSize;
  static Vector next(const Vector& a, const Vector& s, const Vector& state) {
    Vector h(kSize);
    for (std::size_t j = 0; j < kSize; ++j) {
      const double r = logistic(a[j] + s[j]);
      const double z = logistic(a[kSize + j] + s[kSize + j]);
      const double n = std::tanh(a[2 * kSize + j] + r * s[2 * kSize + j]);
      h[j] = (1 - z) * n + z * state[j];
    }
    return h;
  }
};

template <class Naive>
class Recurrent : public testing::Test {};
using Layers = testing::Types<NaiveRnn, NaiveLstm, NaiveGru>;
TYPED_TEST_SUITE(Recurrent, Layers);

template <class Naive>
void expect_states(const ParameterSet& parameters, const std::string& name, const SequenceBatch& batch,
                   const ConstMatrixView& x, const ConstMatrixView& h, Direction direction) {
  for (std::size_t i = 0; i < batch.sequences(); ++i) {
    const std::vector<Vector> elements = sequence_of(batch, x, i);
    Vector state(Naive::kState, 0.0);
    for (std::size_t k = 0; k < elements.size(); ++k) {
      const std::size_t t = direction == Direction::kForward ? k : elements.size() - 1 - k;
      const Vector a =
          naive_linear(elements[t], named(parameters, name + ".weight_ih"), named_row(parameters, name + ".bias_ih"));
      const Vector s =
          naive_linear(state, named(parameters, name + ".weight_hh"), named_row(parameters, name + ".bias_hh"));
      state = Naive::next(a, s, state);
      expect_row(h, batch.row(i, t), Vector(state.begin(), state.begin() + kSize));
    }
  }
}

TYPED_TEST(Recurrent, ForwardAndGradient) {
  for (const Direction direction : {Direction::kForward, Direction::kReverse}) {
    for (const std::vector<std::uint32_t>& lengths : kBatches) {
      ParameterSet parameters;
      const typename TypeParam::Layer layer(parameters, "r", kInputs, kSize, direction);
      draw_parameters(parameters);
      const SequenceBatch batch(lengths);
      Matrix x = random_matrix(batch.rows(), kInputs, 1);
      const Matrix dh = random_matrix(batch.rows(), kSize, 2);
      Matrix h = unset_matrix(batch.rows(), kSize);
      Matrix dx = unset_matrix(batch.rows(), kInputs);
      typename TypeParam::Layer::Cache cache;
      const auto loss = [&] {
        layer.forward(parameters, batch, x.view(), h.view(), cache);
        return weighted_sum(h.span(), dh.span());
      };
      loss();
      expect_states<TypeParam>(parameters, "r", batch, x.view(), h.view(), direction);
      const ParameterGradients gradients = gradients_of(parameters, [&](ParameterGradients& sum) {
        layer.backward(parameters, sum, batch, x.view(), h.view(), dh.view(), dx.view(), cache);
      });
      EXPECT_TRUE(gradient_matches(x.span(), dx.span(), loss));
      expect_parameter_gradients(parameters, gradients, loss);
    }
  }
}

TYPED_TEST(Recurrent, CacheIsReusable) {
  using Layer = typename TypeParam::Layer;
  for (const Direction direction : {Direction::kForward, Direction::kReverse}) {
    ParameterSet parameters;
    const Layer layer(parameters, "r", kInputs, kSize, direction);
    draw_parameters(parameters);
    expect_cache_reusable<typename Layer::Cache>(
        [&](const std::vector<std::uint32_t>& lengths, typename Layer::Cache& cache) {
          const SequenceBatch batch(lengths);
          const Matrix x = random_matrix(batch.rows(), kInputs, 1);
          const Matrix dh = random_matrix(batch.rows(), kSize, 2);
          Matrix h = unset_matrix(batch.rows(), kSize);
          Matrix dx = unset_matrix(batch.rows(), kInputs);
          ParameterGradients gradients(parameters);
          layer.forward(parameters, batch, x.view(), h.view(), cache);
          layer.backward(parameters, gradients, batch, x.view(), h.view(), dh.view(), dx.view(), cache);
          return joined({h.span(), dx.span(), gradients.values()});
        });
  }
}

TYPED_TEST(Recurrent, BothDirections) {
  using Pair = Bidirectional<typename TypeParam::Layer>;
  ParameterSet parameters;
  const Pair layer(parameters, "b", kInputs, kSize);
  draw_parameters(parameters);
  const SequenceBatch batch(kBatches[0]);
  Matrix x = random_matrix(batch.rows(), kInputs, 1);
  const Matrix dstates = random_matrix(batch.sequences(), 2 * kSize, 2);
  Matrix h = unset_matrix(batch.rows(), 2 * kSize);
  Matrix dh = unset_matrix(batch.rows(), 2 * kSize);
  Matrix states = unset_matrix(batch.sequences(), 2 * kSize);
  Matrix dx = unset_matrix(batch.rows(), kInputs);
  typename Pair::Cache cache;
  const auto loss = [&] {
    layer.forward(parameters, batch, x.view(), h.view(), cache);
    layer.final_states(batch, h.view(), states.view());
    return weighted_sum(states.span(), dstates.span());
  };
  loss();
  const ConstMatrixView all = h.view();
  expect_states<TypeParam>(parameters, "b.forward", batch, x.view(), column_range(all, 0, kSize), Direction::kForward);
  expect_states<TypeParam>(parameters, "b.reverse", batch, x.view(), column_range(all, kSize, kSize),
                           Direction::kReverse);
  for (std::size_t i = 0; i < batch.sequences(); ++i) {
    for (std::size_t j = 0; j < kSize; ++j) {
      EXPECT_EQ(states.row(i)[j], h.row(batch.row(i, batch.length(i) - 1))[j]);
      EXPECT_EQ(states.row(i)[kSize + j], h.row(batch.row(i, 0))[kSize + j]);
    }
  }
  layer.final_states_backward(batch, dstates.view(), dh.view());
  const ParameterGradients gradients = gradients_of(parameters, [&](ParameterGradients& sum) {
    layer.backward(parameters, sum, batch, x.view(), h.view(), dh.view(), dx.view(), cache);
  });
  EXPECT_TRUE(gradient_matches(x.span(), dx.span(), loss));
  expect_parameter_gradients(parameters, gradients, loss);
}

// The states of a sequence do not depend on the rest of the batch, to the bit.
TYPED_TEST(Recurrent, AloneAsInABatch) {
  using Layer = typename TypeParam::Layer;
  ParameterSet parameters;
  const Layer layer(parameters, "r", kInputs, kSize);
  draw_parameters(parameters);
  const SequenceBatch batch(kBatches[0]);
  const Matrix x = random_matrix(batch.rows(), kInputs, 1);
  Matrix h = unset_matrix(batch.rows(), kSize);
  typename Layer::Cache cache;
  layer.forward(parameters, batch, x.view(), h.view(), cache);
  for (std::size_t i = 0; i < batch.sequences(); ++i) {
    const auto length = static_cast<std::uint32_t>(batch.length(i));
    const SequenceBatch alone(std::span(&length, 1));
    Matrix own(length, kInputs);
    gather_rows(x.view(), batch.rows_by_sequence().subspan(batch.sequence_begin(i), length), own.view());
    Matrix own_h = unset_matrix(length, kSize);
    layer.forward(parameters, alone, own.view(), own_h.view(), cache);
    for (std::size_t t = 0; t < length; ++t) EXPECT_EQ(row_of(own_h.view(), t), row_of(h.view(), batch.row(i, t)));
  }
}

}  // namespace
}  // namespace linn
