#include "linn/kernels/pair_relu.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linn/kernels/pair_relu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// This must follow foreach_target.h.
#include "linn/kernels/lanes_inl.h"

HWY_BEFORE_NAMESPACE();
namespace linn::kernels::HWY_NAMESPACE {

// Tiles of rows that fill the registers, with 32 of them or 16.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
constexpr std::size_t kScoreRows = 6;
constexpr std::size_t kScoreVectors = 4;
constexpr std::size_t kSumRows = 12;
#else
constexpr std::size_t kScoreRows = 5;
constexpr std::size_t kScoreVectors = 2;
constexpr std::size_t kSumRows = 5;
#endif

constexpr std::size_t kHiddenBlock = 128;

// max(low, x), but a NaN in x stays. x86's maximum is its second argument where one is NaN.
HWY_INLINE FloatVector raise_to(FloatVector low, FloatVector x) {
#if HWY_TARGET == HWY_SCALAR
  return hn::IfThenElse(hn::Lt(x, low), low, x);
#else
  return hn::Max(low, x);
#endif
}

// max(a + b, 0) = a + max(-a, b): with `low` = -a, two operations per vector. `starts` has the sums of u_h a_ih.
template <std::size_t kRows, std::size_t kVectors, class Access>
void score_tile(std::size_t hidden, const float* HWY_RESTRICT low, const float* HWY_RESTRICT starts,
                const float* HWY_RESTRICT b, std::size_t b_stride, const float* HWY_RESTRICT u,
                float* HWY_RESTRICT scores, std::size_t stride, const Access& last) {
  const Floats d;
  FloatVector sums[kRows][kVectors];
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t v = 0; v < kVectors; ++v) sums[r][v] = hn::Set(d, starts[r]);
  }
  for (std::size_t h = 0; h < hidden; ++h) {
    FloatVector items[kVectors];
    for (std::size_t v = 0; v + 1 < kVectors; ++v) items[v] = hn::LoadU(d, b + h * b_stride + v * kLanes);
    items[kVectors - 1] = last.load(b + h * b_stride + (kVectors - 1) * kLanes);
    const FloatVector weight = hn::Set(d, u[h]);
    HWY_UNROLL(6)
    for (std::size_t r = 0; r < kRows; ++r) {
      const FloatVector bound = hn::Set(d, low[r * kHiddenBlock + h]);
      HWY_UNROLL(4)
      for (std::size_t v = 0; v < kVectors; ++v) {
        sums[r][v] = hn::MulAdd(weight, raise_to(bound, items[v]), sums[r][v]);
      }
    }
  }
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t v = 0; v + 1 < kVectors; ++v) {
      float* to = scores + r * stride + v * kLanes;
      hn::StoreU(hn::Add(hn::LoadU(d, to), sums[r][v]), d, to);
    }
    float* to = scores + r * stride + (kVectors - 1) * kLanes;
    last.store(hn::Add(last.load(to), sums[r][kVectors - 1]), to);
  }
}

template <std::size_t kRows>
void score_rows(std::size_t items, std::size_t hidden, const float* low, const float* starts, const float* b,
                std::size_t b_stride, const float* u, float* scores, std::size_t stride) {
  std::size_t j = 0;
  for (; j + kScoreVectors * kLanes <= items; j += kScoreVectors * kLanes) {
    score_tile<kRows, kScoreVectors>(hidden, low, starts, b + j, b_stride, u, scores + j, stride, Whole());
  }
  for_each_vector(items - j, [&](std::size_t at, const auto& access) HWY_ATTR {
    score_tile<kRows, 1>(hidden, low, starts, b + j + at, b_stride, u, scores + j + at, stride, access);
  });
}

template <std::size_t kRows = kScoreRows>
HWY_INLINE void score_some_rows(std::size_t rows, std::size_t items, std::size_t hidden, const float* low,
                                const float* starts, const float* b, std::size_t b_stride, const float* u,
                                float* scores, std::size_t stride) {
  if constexpr (kRows > 0) {
    if (rows == kRows) {
      score_rows<kRows>(items, hidden, low, starts, b, b_stride, u, scores, stride);
    } else {
      score_some_rows<kRows - 1>(rows, items, hidden, low, starts, b, b_stride, u, scores, stride);
    }
  }
}

void add_scores(const PairShape& shape, const float* a, const float* b, std::size_t b_stride, const float* u,
                float* scores, std::size_t stride) {
  const Floats d;
  HWY_ALIGN float low[kScoreRows * kHiddenBlock];
  float starts[kScoreRows];
  for (std::size_t first = 0; first < shape.rows; first += kScoreRows) {
    const std::size_t rows = std::min(kScoreRows, shape.rows - first);
    for (std::size_t h = 0; h < shape.hidden; h += kHiddenBlock) {
      const std::size_t hidden = std::min(kHiddenBlock, shape.hidden - h);
      for (std::size_t r = 0; r < rows; ++r) {
        const float* row = a + (first + r) * shape.hidden + h;
        FloatVector sum = hn::Zero(d);
        for_each_vector(hidden, [&](std::size_t k, const auto& access) HWY_ATTR {
          const FloatVector x = access.load(row + k);
          access.store(hn::Neg(x), low + r * kHiddenBlock + k);
          sum = hn::MulAdd(access.load(u + h + k), x, sum);
        });
        starts[r] = hn::GetLane(hn::SumOfLanes(d, sum));
      }
      score_some_rows(rows, shape.items, hidden, low, starts, b + h * b_stride, b_stride, u + h,
                      scores + first * stride, stride);
    }
  }
}

void add_rows_of_pairs(std::size_t rows, std::size_t hidden, const RowSource& a, const RowSource& b, const float* u,
                       float* out) {
  const Floats d;
  for (std::size_t i = 0; i < rows; ++i) {
    const float* left = row_of(a, i);
    const float* right = row_of(b, i);
    FloatVector sum = hn::Zero(d);
    for_each_vector(hidden, [&](std::size_t h, const auto& access) HWY_ATTR {
      const FloatVector x = hn::Add(access.load(left + h), access.load(right + h));
      sum = hn::MulAdd(access.load(u + h), positive_part(x), sum);
    });
    out[i] += hn::GetLane(hn::SumOfLanes(d, sum));
  }
}

// One vector of hidden units for a tile of rows and all items. With `low` = -a, exactly, a + b > 0 where b > low.
template <std::size_t kRows, class Access>
void sum_tile(std::size_t items, std::size_t hidden, const float* HWY_RESTRICT a, const float* HWY_RESTRICT b,
              const float* HWY_RESTRICT g, std::size_t g_stride, float* HWY_RESTRICT a_sums, float* HWY_RESTRICT b_sums,
              const Access& access) {
  const Floats d;
  FloatVector low[kRows];
  FloatVector sums[kRows];
  for (std::size_t r = 0; r < kRows; ++r) {
    low[r] = hn::Neg(access.load(a + r * hidden));
    sums[r] = access.load(a_sums + r * hidden);
  }
  for (std::size_t j = 0; j < items; ++j) {
    const FloatVector item = access.load(b + j * hidden);
    FloatVector item_sums[2] = {access.load(b_sums + j * hidden), hn::Zero(d)};
    HWY_UNROLL(12)
    for (std::size_t r = 0; r < kRows; ++r) {
      const FloatVector part = hn::IfThenElseZero(hn::Gt(item, low[r]), hn::Set(d, g[r * g_stride + j]));
      sums[r] = hn::Add(sums[r], part);
      item_sums[r % 2] = hn::Add(item_sums[r % 2], part);
    }
    access.store(hn::Add(item_sums[0], item_sums[1]), b_sums + j * hidden);
  }
  for (std::size_t r = 0; r < kRows; ++r) access.store(sums[r], a_sums + r * hidden);
}

template <std::size_t kRows = kSumRows>
HWY_INLINE void sum_some_rows(std::size_t rows, std::size_t items, std::size_t hidden, const float* a, const float* b,
                              const float* g, std::size_t g_stride, float* a_sums, float* b_sums) {
  if constexpr (kRows > 0) {
    if (rows == kRows) {
      for_each_vector(hidden, [&](std::size_t h, const auto& access) HWY_ATTR {
        sum_tile<kRows>(items, hidden, a + h, b + h, g, g_stride, a_sums + h, b_sums + h, access);
      });
    } else {
      sum_some_rows<kRows - 1>(rows, items, hidden, a, b, g, g_stride, a_sums, b_sums);
    }
  }
}

void add_sums(const PairShape& shape, const float* a, const float* b, const float* g, std::size_t g_stride,
              float* a_sums, float* b_sums) {
  for (std::size_t row = 0; row < shape.rows; row += kSumRows) {
    sum_some_rows(std::min(kSumRows, shape.rows - row), shape.items, shape.hidden, a + row * shape.hidden, b,
                  g + row * g_stride, g_stride, a_sums + row * shape.hidden, b_sums);
  }
}

}  // namespace linn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linn {
namespace kernels {
HWY_EXPORT(add_scores);
HWY_EXPORT(add_rows_of_pairs);
HWY_EXPORT(add_sums);
}  // namespace kernels

void add_pair_relu(const PairShape& shape, const float* a, const float* b_transposed, std::size_t b_stride,
                   const float* u, float* scores, std::size_t scores_stride) {
  HWY_DYNAMIC_DISPATCH(kernels::add_scores)(shape, a, b_transposed, b_stride, u, scores, scores_stride);
}

void add_pair_relu_rows(std::size_t rows, std::size_t hidden, const RowSource& a, const RowSource& b, const float* u,
                        float* out) {
  HWY_DYNAMIC_DISPATCH(kernels::add_rows_of_pairs)(rows, hidden, a, b, u, out);
}

void add_pair_relu_sums(const PairShape& shape, const float* a, const float* b, const float* g, std::size_t g_stride,
                        float* a_sums, float* b_sums) {
  HWY_DYNAMIC_DISPATCH(kernels::add_sums)(shape, a, b, g, g_stride, a_sums, b_sums);
}

}  // namespace linn
#endif  // HWY_ONCE
