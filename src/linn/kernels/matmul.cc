#include "linn/kernels/matmul.h"

#include <algorithm>
#include <array>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linn/kernels/matmul.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "linn/kernels/lanes_inl.h"

HWY_BEFORE_NAMESPACE();
namespace linn::kernels::HWY_NAMESPACE {
namespace {

// A tile of the result, kTileRows × kTileVectors vectors, stays in registers while the sum runs. The tile is as large
// as the registers allow besides one row of the right side and one broadcast number of the left: 24 of 32 with
// AVX-512, 12 of 16 with AVX2, 8 of 16 with SSE, where a product needs a register of its own.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
constexpr std::size_t kTileRows = 6;
constexpr std::size_t kTileVectors = 4;
constexpr bool kPackPanels = false;
#elif HWY_TARGET == HWY_AVX2
constexpr std::size_t kTileRows = 6;
constexpr std::size_t kTileVectors = 2;
constexpr bool kPackPanels = true;
#else
constexpr std::size_t kTileRows = 4;
constexpr std::size_t kTileVectors = 2;
constexpr bool kPackPanels = true;
#endif
template <class T>
using VectorOf = hn::Vec<hn::ScalableTag<T>>;
template <class T>
constexpr std::size_t kLanesOf = hn::MaxLanes(hn::ScalableTag<T>());
template <class T>
constexpr std::size_t kTileColumns = kTileVectors* kLanesOf<T>;

// The sum is cut into blocks so that a panel, kTileColumns columns of the right side, stays in the cache while all
// rows of the left side pass by. A later block starts from the stored result of the one before, so cutting does not
// change a bit. A panel is 128 KB with AVX-512 and 32 KB with AVX2: read in order it comes from the second-level cache
// as fast as it is used.
constexpr std::size_t kInnerBlock = 512;

// A panel that ends within a vector is copied, filled up with zeros, so that it can be loaded in whole vectors. Copying
// the others pays for panels of one cache line per row: with AVX2 it makes products up to 40% faster where the rows
// of the right side are far apart. For the four lines of AVX-512 it does not. It never pays for a few rows.
constexpr std::size_t kRowsWorthPacking = 8 * kTileRows;

template <class T>
struct Tile {
  const T* left;
  std::size_t row_stride;
  std::size_t inner_stride;
  const T* right;
  std::size_t right_stride;
  T* result;
  std::size_t result_stride;
  std::size_t inner;
  std::size_t last_lanes;  // how many lanes of the last vector are columns of the result
  const T* bias;           // null: none
  bool accumulate;
  bool relu;
};

template <class T>
HWY_INLINE VectorOf<T> load_part(const T* p, std::size_t lanes) {
  return lanes == kLanesOf<T> ? hn::LoadU(hn::ScalableTag<T>(), p) : load_first(p, lanes);
}

template <class T>
HWY_INLINE void store_part(VectorOf<T> v, T* p, std::size_t lanes) {
  if (lanes == kLanesOf<T>) {
    hn::StoreU(v, hn::ScalableTag<T>(), p);
  } else {
    store_first(v, p, lanes);
  }
}

template <class T, std::size_t kRows, std::size_t kVectors>
void compute_tile(const Tile<T>& tile) {
  using Vector = VectorOf<T>;
  constexpr std::size_t kLanes = kLanesOf<T>;
  const hn::ScalableTag<T> d;
  const auto lanes = [&](std::size_t v) { return v + 1 == kVectors ? tile.last_lanes : kLanes; };

  Vector sum[kRows][kVectors];
  HWY_UNROLL(6)
  for (std::size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(4)
    for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] = hn::Zero(d);
  }
  if (tile.accumulate) {
    HWY_UNROLL(6)
    for (std::size_t r = 0; r < kRows; ++r) {
      HWY_UNROLL(4)
      for (std::size_t v = 0; v < kVectors; ++v) {
        sum[r][v] = load_part(tile.result + r * tile.result_stride + v * kLanes, lanes(v));
      }
    }
  }
  if (tile.bias != nullptr) {
    HWY_UNROLL(4)
    for (std::size_t v = 0; v < kVectors; ++v) {
      const Vector bias = load_part(tile.bias + v * kLanes, lanes(v));
      HWY_UNROLL(6)
      for (std::size_t r = 0; r < kRows; ++r) sum[r][v] = hn::Add(sum[r][v], bias);
    }
  }

  const T* HWY_RESTRICT left = tile.left;
  const T* HWY_RESTRICT right = tile.right;
  const std::size_t row_stride = tile.row_stride;
  const std::size_t inner_stride = tile.inner_stride;
  const std::size_t right_stride = tile.right_stride;
  for (std::size_t k = tile.inner; k != 0; --k) {
    Vector row[kVectors];
    HWY_UNROLL(4)
    for (std::size_t v = 0; v < kVectors; ++v) row[v] = hn::LoadU(d, right + v * kLanes);
    HWY_UNROLL(6)
    for (std::size_t r = 0; r < kRows; ++r) {
      const Vector factor = hn::Set(d, left[r * row_stride]);
      HWY_UNROLL(4)
      for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(factor, row[v], sum[r][v]);
    }
    left += inner_stride;
    right += right_stride;
  }

  if (tile.relu) {
    HWY_UNROLL(6)
    for (std::size_t r = 0; r < kRows; ++r) {
      HWY_UNROLL(4)
      for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] = positive_part(sum[r][v]);
    }
  }
  HWY_UNROLL(6)
  for (std::size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(4)
    for (std::size_t v = 0; v < kVectors; ++v) {
      store_part(sum[r][v], tile.result + r * tile.result_stride + v * kLanes, lanes(v));
    }
  }
}

template <class T>
using TileFunction = void (*)(const Tile<T>&);

// kTileFunctions[v - 1][r - 1] computes r rows and v vectors.
template <class T, std::size_t kVectors, std::size_t... kRows>
constexpr std::array<TileFunction<T>, kTileRows> tile_functions_of_rows(std::index_sequence<kRows...>) {
  return {compute_tile<T, kRows + 1, kVectors>...};
}
template <class T, std::size_t... kVectors>
constexpr std::array<std::array<TileFunction<T>, kTileRows>, kTileVectors> tile_functions(
    std::index_sequence<kVectors...>) {
  return {tile_functions_of_rows<T, kVectors + 1>(std::make_index_sequence<kTileRows>())...};
}
template <class T>
constexpr auto kTileFunctions = tile_functions<T>(std::make_index_sequence<kTileVectors>());

// Copies a panel, row after row, each filled up with zeros to whole vectors.
template <class T>
void pack_panel(const T* HWY_RESTRICT right, std::size_t right_stride, std::size_t inner, std::size_t vectors,
                std::size_t last_lanes, T* HWY_RESTRICT packed) {
  constexpr std::size_t kLanes = kLanesOf<T>;
  const hn::ScalableTag<T> d;
  for (std::size_t k = 0; k < inner; ++k) {
    for (std::size_t v = 0; v + 1 < vectors; ++v) {
      hn::Store(hn::LoadU(d, right + v * kLanes), d, packed + v * kLanes);
    }
    hn::Store(load_part(right + (vectors - 1) * kLanes, last_lanes), d, packed + (vectors - 1) * kLanes);
    right += right_stride;
    packed += vectors * kLanes;
  }
}

template <class T>
void multiply(const MatmulShape& shape, const LeftOperandOf<T>& left, const T* right, std::size_t right_stride,
              T* result, std::size_t result_stride, const MatmulOptionsOf<T>& options) {
  constexpr std::size_t kLanes = kLanesOf<T>;
  HWY_ALIGN T packed[kInnerBlock * kTileColumns<T>];
  const bool pack = kPackPanels && shape.columns > kTileColumns<T> && shape.rows >= kRowsWorthPacking;
  std::size_t inner_begin = 0;
  do {
    const std::size_t inner = std::min(kInnerBlock, shape.inner - inner_begin);
    const bool first = inner_begin == 0;
    const bool last = inner_begin + inner == shape.inner;
    for (std::size_t column = 0; column < shape.columns; column += kTileColumns<T>) {
      const std::size_t columns = std::min(kTileColumns<T>, shape.columns - column);
      const std::size_t vectors = (columns + kLanes - 1) / kLanes;
      Tile<T> tile;
      tile.row_stride = left.row_stride;
      tile.inner_stride = left.inner_stride;
      tile.right = right + inner_begin * right_stride + column;
      tile.right_stride = right_stride;
      tile.result_stride = result_stride;
      tile.inner = inner;
      tile.last_lanes = columns - (vectors - 1) * kLanes;
      tile.bias = first && options.bias != nullptr ? options.bias + column : nullptr;
      tile.accumulate = !first || options.accumulate;
      tile.relu = last && options.relu;
      if (pack || tile.last_lanes != kLanes) {
        pack_panel(tile.right, right_stride, inner, vectors, tile.last_lanes, packed);
        tile.right = packed;
        tile.right_stride = vectors * kLanes;
      }
      const auto& functions = kTileFunctions<T>[vectors - 1];
      for (std::size_t row = 0; row < shape.rows; row += kTileRows) {
        const std::size_t rows = std::min(kTileRows, shape.rows - row);
        tile.left = left.data + row * left.row_stride + inner_begin * left.inner_stride;
        tile.result = result + row * result_stride + column;
        functions[rows - 1](tile);
      }
    }
    inner_begin += inner;
  } while (inner_begin < shape.inner);
}

}  // namespace

void multiply_floats(const MatmulShape& shape, const LeftOperandOf<float>& left, const float* right,
                     std::size_t right_stride, float* result, std::size_t result_stride,
                     const MatmulOptionsOf<float>& options) {
  multiply(shape, left, right, right_stride, result, result_stride, options);
}

void multiply_doubles(const MatmulShape& shape, const LeftOperandOf<double>& left, const double* right,
                      std::size_t right_stride, double* result, std::size_t result_stride,
                      const MatmulOptionsOf<double>& options) {
  multiply(shape, left, right, right_stride, result, result_stride, options);
}

}  // namespace linn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linn {
namespace kernels {
HWY_EXPORT(multiply_floats);
HWY_EXPORT(multiply_doubles);
}  // namespace kernels

void matmul(const MatmulShape& shape, const LeftOperandOf<float>& left, const float* right, std::size_t right_stride,
            float* result, std::size_t result_stride, const MatmulOptionsOf<float>& options) {
  HWY_DYNAMIC_DISPATCH(kernels::multiply_floats)(shape, left, right, right_stride, result, result_stride, options);
}

void matmul(const MatmulShape& shape, const LeftOperandOf<double>& left, const double* right, std::size_t right_stride,
            double* result, std::size_t result_stride, const MatmulOptionsOf<double>& options) {
  HWY_DYNAMIC_DISPATCH(kernels::multiply_doubles)(shape, left, right, right_stride, result, result_stride, options);
}

}  // namespace linn
#endif  // HWY_ONCE
