#include <algorithm>
#include <numeric>

#include "linn/cuda/choice.h"
#include "linn/cuda/row_kernels.h"

namespace linn::cuda {
namespace {

constexpr u32 kThreads = 256;
// States lose other elements than vectors.
constexpr std::uint64_t kStateSeed = 0x5851F42D4C957F2DU;

// What the softmax of a block of targets works on.
struct Block {
  u32 first = 0;  // target
  u32 rows = 0;
  u32 columns = 0;  // items, or draws
  u32 width = 0;
  float* scores = nullptr;       // become the gradients of the scores
  const u32* targets = nullptr;  // places among the keys
  const u32* draws = nullptr;    // null: the whole catalogue
  const float* log_counts = nullptr;
  const float* queries = nullptr;
  const float* keys = nullptr;
  float* factors = nullptr;  // draws: the gradient of the target's own score
  double* values = nullptr;
  double label_noise = 0.0;
  double noise_items = 0.0;
  double scale = 0.0;
};

// A block of threads takes a target. See catalogue_softmax.h.
__global__ void __launch_bounds__(kThreads) softmax_kernel(Block b) {
  __shared__ double sums[kThreads];
  __shared__ float maxima[kThreads];
  const u32 target = b.first + blockIdx.x;
  const u32 item = b.targets[target];
  float* scores = b.scores + std::size_t{blockIdx.x} * b.columns;
  const bool sampled = b.draws != nullptr;

  float own = 0.0F;
  if (sampled) {
    double partial = 0.0;
    for (u32 i = threadIdx.x; i < b.width; i += kThreads) {
      partial += static_cast<double>(b.queries[std::size_t{target} * b.width + i]) *
                 static_cast<double>(b.keys[std::size_t{item} * b.width + i]);
    }
    own = static_cast<float>(block_total(partial, sums));
    for (u32 j = threadIdx.x; j < b.columns; j += kThreads) {
      // A draw of the target itself has no part in the partition.
      scores[j] = b.draws[j] == item ? -INFINITY : scores[j] - b.log_counts[j];
    }
  } else {
    own = scores[item];
  }
  float maximum = own;
  for (u32 j = threadIdx.x; j < b.columns; j += kThreads) maximum = fmaxf(maximum, scores[j]);
  maximum = block_joined(maximum, maxima, [](float a, float b) { return fmaxf(a, b); });
  float partial = 0.0F;
  for (u32 j = threadIdx.x; j < b.columns; j += kThreads) {
    const float e = expf(scores[j] - maximum);
    scores[j] = e;
    partial += e;
  }
  const double distance = static_cast<double>(own) - static_cast<double>(maximum);
  const double sum = block_total(partial, sums) + (sampled ? exp(distance) : 0.0);
  const double p = exp(distance) / sum;
  double factor = b.scale;
  double loss = log(sum) - distance;
  if (b.label_noise != 0.0) {
    const double clean = (1.0 - b.label_noise) * p;
    const double noisy = clean + b.label_noise / b.noise_items;
    loss = -log(noisy);
    factor *= clean / noisy;
  }
  const auto share = static_cast<float>(factor / sum);
  for (u32 j = threadIdx.x; j < b.columns; j += kThreads) {
    const float gradient = share * scores[j];
    scores[j] = !sampled && j == item ? gradient - static_cast<float>(factor) : gradient;
  }
  if (threadIdx.x != 0) return;
  b.values[target] = loss;
  if (sampled) b.factors[target] = static_cast<float>(factor * (p - 1.0));
}

// The vectors of the roots, each with dropout of its own.
__global__ void states_kernel(Pass m, float* states) {
  const u32 row = warp_row();
  if (row >= m.plan.roots) return;
  const float* vector = m.vector(m.plan.root_node[m.plan.root_of[row]]);
  for (u32 i = lane(); i < m.shape.width; i += kWarp) {
    const std::size_t at = std::size_t{row} * m.shape.width + i;
    const float factor = m.dropout > 0.0F ? dropout_factor(m.dropout_seed ^ kStateSeed, at, m.dropout) : 1.0F;
    states[at] = factor * vector[i];
  }
}

// Of draws, a query gets what comes of its own target, too. Then q = T * (a P), back to a P.
__global__ void query_gradients_kernel(Pass m, u32 count, const u32* targets, const float* keys, const float* factors,
                                       float* d_queries) {
  const u32 row = warp_row();
  if (row >= count) return;
  const u32 d = m.shape.width;
  for (u32 i = lane(); i < d; i += kWarp) {
    float value = d_queries[std::size_t{row} * d + i];
    if (factors != nullptr) value = fmaf(factors[row], keys[std::size_t{targets[row]} * d + i], value);
    d_queries[std::size_t{row} * d + i] = value * m.true_vector[i];
  }
}

__global__ void gather_kernel(u32 rows, u32 d, const u32* places, const float* from, float* to) {
  const u32 row = warp_row();
  if (row >= rows) return;
  for (u32 i = lane(); i < d; i += kWarp) to[std::size_t{row} * d + i] = from[std::size_t{places[row]} * d + i];
}

// The gradient of a key: what all its draws give, then all targets that it is.
__global__ void key_gradients_kernel(u32 keys, u32 d, u32 draws, const u32* starts, const u32* entries,
                                     const float* d_drawn, const float* queries, const float* factors, float* d_keys) {
  const u32 row = warp_row();
  if (row >= keys) return;
  for (u32 i = lane(); i < d; i += kWarp) {
    float sum = 0.0F;
    for (u32 at = starts[row]; at < starts[row + 1]; ++at) {
      const u32 entry = entries[at];
      if (entry < draws) {
        sum += d_drawn[std::size_t{entry} * d + i];
      } else {
        sum = fmaf(factors[entry - draws], queries[std::size_t{entry - draws} * d + i], sum);
      }
    }
    d_keys[std::size_t{row} * d + i] = sum;
  }
}

struct TableRows {
  const float* table;
  const u32* rows;
  u32 width;
  __device__ float operator()(u32 row, u32 k, bool) const { return table[std::size_t{rows[row]} * width + k]; }
};
// q = T * (a P)
struct QueryRows {
  const float* truth;
  float* queries;
  u32 width;
  __device__ void operator()(u32 row, u32 column, float value) const {
    queries[std::size_t{row} * width + column] = truth[column] * value;
  }
};
struct StateGradientRows {
  float* d_states;
  u32 width;
  float dropout;
  std::uint64_t seed;
  __device__ void operator()(u32 row, u32 column, float value) const {
    const std::size_t at = std::size_t{row} * width + column;
    d_states[at] = dropout > 0.0F ? value * dropout_factor(seed, at, dropout) : value;
  }
};

}  // namespace

void ChoicePass::add(const CatalogueChoice& choice, Staging& staging) {
  count_ = static_cast<u32>(choice.targets.size());
  chosen_ = static_cast<u32>(choice.chosen);
  draws_ = static_cast<u32>(choice.draws.size());
  label_noise_ = choice.label_noise;
  noise_items_ = static_cast<double>(draws_ > 0 ? choice.catalogue : choice.chosen);
  rows_at_ = staging.add(choice.rows);
  targets_at_ = staging.add(choice.targets);
  if (draws_ == 0) return;
  draws_at_ = staging.add(choice.draws);
  log_counts_at_ = staging.add(choice.log_counts);
  starts_.assign(chosen_ + 1, 0);
  for (const u32 place : choice.draws) ++starts_[place + 1];
  for (const u32 place : choice.targets) ++starts_[place + 1];
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  fill_ = starts_;
  entries_.resize(starts_.back());
  for (u32 i = 0; i < draws_; ++i) entries_[fill_[choice.draws[i]]++] = i;
  for (u32 i = 0; i < count_; ++i) entries_[fill_[choice.targets[i]]++] = draws_ + i;
  starts_at_ = staging.add(starts_);
  entries_at_ = staging.add(entries_);
}

void ChoicePass::run(const Pass& m, const float* table, const Staging& staging, double* values,
                     const Weights* gradients, std::size_t most_scores) {
  const Shape& s = m.shape;
  const u32 d = s.width;
  const std::size_t t = count_;
  const u32* row_list = rows(staging);
  const u32* targets = staging.at<u32>(targets_at_);
  const u32* draws = draws_ > 0 ? staging.at<u32>(draws_at_) : nullptr;
  const float* left = m.weights.projection + s.offset[slot(0, false)];  // P
  const float* right = m.weights.projection + s.offset[slot(0, true)];  // Q
  for (Buffer<float>* rows : {&states_, &d_states_, &queries_, &d_queries_}) rows->reshape(t * d);
  for (Buffer<float>* rows : {&keys_, &d_keys_, &d_items_}) rows->reshape(std::size_t{chosen_} * d);
  factors_.reshape(t);

  launch_rows(stream_, states_kernel, t, m, states_.data());
  product<false>(stream_, {count_, d, d}, Rows{states_.data(), d}, left, s.projections,
                 QueryRows{m.true_vector, queries_.data(), d});
  product<false>(stream_, {chosen_, d, d}, TableRows{table, row_list, d}, right, s.projections, Rows{keys_.data(), d});
  const float* summed = keys_.data();
  float* d_summed = d_keys_.data();
  const u32 columns = draws_ > 0 ? draws_ : chosen_;
  if (draws_ > 0) {
    summed = drawn_.reshape(std::size_t{draws_} * d);
    d_summed = d_drawn_.reshape(std::size_t{draws_} * d);
    launch_rows(stream_, gather_kernel, draws_, draws_, d, draws, static_cast<const float*>(keys_.data()),
                drawn_.data());
  }

  const u32 most_rows = std::max<u32>(1, static_cast<u32>(std::min(t, most_scores / std::max<u32>(columns, 1))));
  float* scores = scores_.reshape(std::size_t{most_rows} * columns);
  for (u32 first = 0; first < count_; first += most_rows) {
    const u32 rows = std::min(most_rows, count_ - first);
    const float* queries = queries_.data() + std::size_t{first} * d;
    blas_.multiply(rows, columns, d, queries, false, summed, true, scores);
    const Block block = {first,
                         rows,
                         columns,
                         d,
                         scores,
                         targets,
                         draws,
                         draws_ > 0 ? staging.at<float>(log_counts_at_) : nullptr,
                         queries_.data(),
                         keys_.data(),
                         factors_.data(),
                         values,
                         label_noise_,
                         noise_items_,
                         1.0 / static_cast<double>(t)};
    stream_.launch(softmax_kernel, dim3(rows), kThreads, 0, block);
    blas_.multiply(rows, d, columns, scores, false, summed, false, d_queries_.data() + std::size_t{first} * d);
    blas_.multiply(columns, d, rows, scores, true, queries, false, d_summed, first > 0);
  }
  launch_rows(stream_, query_gradients_kernel, t, m, count_, targets, static_cast<const float*>(keys_.data()),
              draws_ > 0 ? static_cast<const float*>(factors_.data()) : nullptr, d_queries_.data());
  if (draws_ > 0) {
    launch_rows(stream_, key_gradients_kernel, chosen_, chosen_, d, draws_, staging.at<u32>(starts_at_),
                staging.at<u32>(entries_at_), static_cast<const float*>(d_summed),
                static_cast<const float*>(queries_.data()), static_cast<const float*>(factors_.data()), d_keys_.data());
  }
  product<true>(stream_, {count_, d, d}, Rows{d_queries_.data(), d}, left, s.projections,
                StateGradientRows{d_states_.data(), d, m.dropout, m.dropout_seed ^ kStateSeed});
  product<true>(stream_, {chosen_, d, d}, Rows{d_keys_.data(), d}, right, s.projections, Rows{d_items_.data(), d});
  if (gradients == nullptr) return;
  sums_.begin(gradients->projection + s.offset[slot(0, false)], s.projections, d, d, true);
  sums_.add(count_, states_.data(), d, d_queries_.data(), d);
  sums_.begin(gradients->projection + s.offset[slot(0, true)], s.projections, d, d, true);
  sums_.add(chosen_, table, d, d_keys_.data(), d, row_list);
  sums_.run(stream_);
}

}  // namespace linn::cuda
