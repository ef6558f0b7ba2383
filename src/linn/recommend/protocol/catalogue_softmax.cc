#include "linn/recommend/protocol/catalogue_softmax.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "linn/kernels/elementwise.h"
#include "linn/kernels/matmul.h"
#include "linn/kernels/matrix.h"
#include "linn/kernels/pair_relu.h"
#include "linn/kernels/softmax_rows.h"
#include "linn/nn/lanes.h"

namespace linn {
namespace {

constexpr float kNone = -std::numeric_limits<float>::infinity();

constexpr std::size_t kPanel = 256;
// The distance between two rows of scores. One cache line more than a panel: with a power of two, the column of a
// panel, which the gradient of the keys reads, would fall into few sets of the first-level cache.
constexpr std::size_t kPanelStride = kPanel + kCacheLine / sizeof(float);

constexpr std::size_t kTileRows = 6;  // of the matrix product; blocks are multiples
constexpr std::size_t kMostRows = 96;
constexpr std::size_t kLeastRows = 24;
constexpr std::size_t kBlockFloats = (std::size_t{3} << 19) / sizeof(float);  // 1.5 MB of scores

std::size_t block_rows_for(std::size_t panels) {
  const std::size_t rows = kBlockFloats / (panels * kPanelStride) / kTileRows * kTileRows;
  return std::clamp(rows, kLeastRows, kMostRows);
}

std::size_t panel_columns(std::size_t items, std::size_t panel) { return std::min(kPanel, items - panel * kPanel); }

template <class T>
void grow(std::vector<T>& list, std::size_t size) {
  if (list.size() < size) list.resize(size);
}

}  // namespace

double CatalogueSoftmax::run(const ChoiceItems& items, const ChoiceTargets& targets, double label_noise, float scale,
                             const ChoiceGradients& gradients, ThreadPool& threads, const ChoicePairs& pairs) {
  const std::size_t panels = (items.count + kPanel - 1) / kPanel;
  return run_batch({.items = items,
                    .targets = targets,
                    .summed = {items, pairs.items, nullptr, panels},
                    .label_noise = label_noise,
                    .noise_items = static_cast<double>(items.count),
                    .scale = scale,
                    .gradients = gradients,
                    .pairs = pairs,
                    .block_rows = block_rows_for(panels)},
                   threads);
}

double CatalogueSoftmax::run_sampled(const ChoiceItems& items, const ChoiceDraws& draws, const ChoiceTargets& targets,
                                     double label_noise, float scale, const ChoiceGradients& gradients,
                                     ThreadPool& threads, const ChoicePairs& pairs) {
  assert(draws.count > 0);
  const std::span numbers(draws.items, draws.count);
  drawn_keys_.reshape(draws.count * width_);
  drawn_biases_.reshape(draws.count);
  gather_rows({items.keys, items.count, width_, width_}, numbers, {drawn_keys_.data(), draws.count, width_, width_});
  if (pairs.hidden > 0) {
    drawn_hidden_.reshape(draws.count * pairs.hidden);
    gather_rows({pairs.items, items.count, pairs.hidden, pairs.hidden}, numbers,
                {drawn_hidden_.data(), draws.count, pairs.hidden, pairs.hidden});
  }
  for (std::size_t j = 0; j < draws.count; ++j) {
    drawn_biases_[j] = (items.biases != nullptr ? items.biases[numbers[j]] : 0.0F) - draws.log_counts[j];
  }
  draws_by_item_.resize(draws.count);
  std::iota(draws_by_item_.begin(), draws_by_item_.end(), 0U);
  std::ranges::sort(draws_by_item_, {}, [&](std::uint32_t draw) { return std::pair(numbers[draw], draw); });

  const std::size_t panels = (draws.count + kPanel - 1) / kPanel;
  return run_batch(
      {.items = items,
       .targets = targets,
       .summed = {{draws.count, drawn_keys_.data(), drawn_biases_.data()}, drawn_hidden_.data(), draws.items, panels},
       .label_noise = label_noise,
       .noise_items = static_cast<double>(draws.catalogue),
       .scale = scale,
       .gradients = gradients,
       .pairs = pairs,
       .block_rows = block_rows_for(panels)},
      threads);
}

double CatalogueSoftmax::run_batch(const Batch& batch, ThreadPool& threads) {
  const std::size_t targets = batch.targets.count;
  const std::size_t hidden = batch.pairs.hidden;
  if (targets == 0) {
    std::fill_n(batch.pairs.d_items, batch.items.count * hidden, 0.0F);
    std::fill_n(batch.pairs.d_weights, hidden, 0.0F);
    std::fill_n(batch.gradients.keys, batch.items.count * width_, 0.0F);
    if (batch.gradients.biases != nullptr) std::fill_n(batch.gradients.biases, batch.items.count, 0.0F);
    return 0.0;
  }
  transpose_keys(batch, threads);
  factors_.reshape(targets);
  // A lane has at least a full block.
  const std::size_t lanes = std::clamp<std::size_t>(targets / kMostRows, 1, lanes_of(threads));
  grow(lanes_, lanes);
  grow(scratch_, threads.threads());
  threads.run(lanes, [&](std::size_t number, std::size_t thread) {
    Lane& lane = lanes_[number];
    lane.loss = 0.0;
    lane.keys.reshape(batch.summed.items.count * width_);
    lane.biases.reshape(batch.summed.items.count);
    lane.hidden.reshape(batch.summed.items.count * hidden);
    lane.hidden.fill(0.0F);
    const auto [begin, end] = lane_rows(targets, number, lanes);
    for (std::size_t row = begin; row < end; row += batch.block_rows) {
      run_block(batch, row, std::min(row + batch.block_rows, end), row == begin, lane, scratch_[thread]);
    }
  });
  add_lanes(batch, lanes, threads);
  double loss = 0.0;
  for (std::size_t i = 0; i < lanes; ++i) loss += lanes_[i].loss;
  return loss;
}

void CatalogueSoftmax::transpose_keys(const Batch& batch, ThreadPool& threads) {
  const Summed& summed = batch.summed;
  const std::size_t hidden = batch.pairs.hidden;
  transposed_.reshape(summed.panels * kPanel * width_);
  transposed_hidden_.reshape(summed.panels * kPanelStride * hidden);
  threads.run(summed.panels, [&](std::size_t panel, std::size_t) {
    transpose(panel_columns(summed.items.count, panel), width_, summed.items.keys + panel * kPanel * width_, width_,
              transposed_.data() + panel * kPanel * width_, kPanel);
    transpose(panel_columns(summed.items.count, panel), hidden, summed.hidden + panel * kPanel * hidden, hidden,
              transposed_hidden_.data() + panel * kPanelStride * hidden, kPanelStride);
  });
}

// A draw of the target itself has no part in the partition, where the target is counted separately.
void CatalogueSoftmax::exclude_targets(const Batch& batch, std::size_t begin, std::size_t rows,
                                       Scratch& scratch) const {
  const auto item_of = [&](std::uint32_t draw) { return batch.summed.numbers[draw]; };
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint32_t target = batch.targets.items[begin + i];
    const auto first = std::ranges::lower_bound(draws_by_item_, target, {}, item_of);
    for (auto draw = first; draw != draws_by_item_.end() && item_of(*draw) == target; ++draw) {
      scratch.scores[(*draw / kPanel * batch.block_rows + i) * kPanelStride + *draw % kPanel] = kNone;
    }
  }
}

// With m_i the highest score, E_ij = exp(s_ij - m_i), Z_i = Σ_j E_ij and the factor f_i of the label noise, the
// gradients of the loss by the scores are f_i (E_ij / Z_i - [j = target]). Rows are never divided by Z: with c_i =
// scale f_i / Z_i
//
//   dq_i = c_i (E·K)_i - scale f_i k_target        dK = Eᵀ·(c q) - scale f_i q_i at the target of i
void CatalogueSoftmax::run_block(const Batch& batch, std::size_t begin, std::size_t end, bool first, Lane& lane,
                                 Scratch& scratch) {
  const std::size_t rows = end - begin;
  const ChoiceItems& summed = batch.summed.items;
  const std::size_t panels = batch.summed.panels;
  const bool sampled = batch.summed.numbers != nullptr;
  const ChoicePairs& pairs = batch.pairs;
  const std::uint32_t* target_items = batch.targets.items + begin;
  const float* queries = batch.targets.queries + begin * width_;
  float* dq = batch.gradients.queries + begin * width_;
  const auto panel_scores = [&](std::size_t panel) {
    return scratch.scores.data() + panel * batch.block_rows * kPanelStride;
  };
  scratch.scores.reshape(panels * batch.block_rows * kPanelStride);
  scratch.queries.reshape(batch.block_rows * width_);
  scratch.target_scores.reshape(batch.block_rows);
  scratch.maxima.reshape(batch.block_rows);
  scratch.sums.reshape(batch.block_rows);

  std::fill_n(scratch.maxima.data(), rows, kNone);
  for (std::size_t panel = 0; panel < panels; ++panel) {
    const std::size_t columns = panel_columns(summed.count, panel);
    matmul({rows, columns, width_}, by_rows(queries, width_), transposed_.data() + panel * kPanel * width_, kPanel,
           panel_scores(panel), kPanelStride,
           {.bias = summed.biases != nullptr ? summed.biases + panel * kPanel : nullptr});
    if (pairs.hidden > 0) {
      add_pair_relu({rows, columns, pairs.hidden}, pairs.targets + begin * pairs.hidden,
                    transposed_hidden_.data() + panel * kPanelStride * pairs.hidden, kPanelStride, pairs.weights,
                    panel_scores(panel), kPanelStride);
    }
    raise_row_maxima(rows, columns, panel_scores(panel), kPanelStride, scratch.maxima.data());
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint32_t item = target_items[i];
    if (!sampled) {
      scratch.target_scores[i] = panel_scores(item / kPanel)[i * kPanelStride + item % kPanel];
      scratch.sums[i] = 0.0;
      continue;
    }
    scratch.target_scores[i] = dot(width_, queries + i * width_, batch.items.keys + item * width_) +
                               (batch.items.biases != nullptr ? batch.items.biases[item] : 0.0F);
    if (pairs.hidden > 0) {
      add_pair_relu_rows(1, pairs.hidden, {pairs.targets + (begin + i) * pairs.hidden},
                         {pairs.items + item * pairs.hidden}, pairs.weights, &scratch.target_scores[i]);
    }
    scratch.maxima[i] = std::max(scratch.maxima[i], scratch.target_scores[i]);
    scratch.sums[i] = std::exp(static_cast<double>(scratch.target_scores[i] - scratch.maxima[i]));
  }
  if (sampled) exclude_targets(batch, begin, rows, scratch);

  for (std::size_t panel = 0; panel < panels; ++panel) {
    const std::size_t columns = panel_columns(summed.count, panel);
    exp_rows(rows, columns, panel_scores(panel), kPanelStride, scratch.maxima.data(), scratch.sums.data());
    matmul({rows, width_, columns}, by_rows(panel_scores(panel), kPanelStride), summed.keys + panel * kPanel * width_,
           width_, dq, width_, {.accumulate = panel > 0});
  }

  float* shares = scratch.maxima.data();  // c; the maxima have been used
  for (std::size_t i = 0; i < rows; ++i) {
    const double sum = scratch.sums[i];
    const double distance = static_cast<double>(scratch.target_scores[i] - scratch.maxima[i]);
    const double p = std::exp(distance) / sum;
    double factor = batch.scale;
    if (batch.label_noise == 0.0) {
      lane.loss += std::log(sum) - distance;
    } else {
      const double clean = (1.0 - batch.label_noise) * p;
      const double noisy = clean + batch.label_noise / batch.noise_items;
      lane.loss -= std::log(noisy);
      factor *= clean / noisy;
    }
    // Among the summed items the target has its share of E already, among draws it does not.
    factors_[begin + i] = static_cast<float>(sampled ? factor * (p - 1.0) : -factor);
    shares[i] = static_cast<float>(factor / sum);

    float* scaled = scratch.queries.data() + i * width_;
    std::copy_n(queries + i * width_, width_, scaled);
    linn::scale(width_, shares[i], scaled);
    linn::scale(width_, shares[i], dq + i * width_);
    axpy(width_, factors_[begin + i], batch.items.keys + target_items[i] * width_, dq + i * width_);
  }

  std::fill_n(pairs.d_targets + begin * pairs.hidden, rows * pairs.hidden, 0.0F);
  for (std::size_t panel = 0; panel < panels; ++panel) {
    const std::size_t columns = panel_columns(summed.count, panel);
    matmul({columns, width_, rows}, transposed(panel_scores(panel), kPanelStride), scratch.queries.data(), width_,
           lane.keys.data() + panel * kPanel * width_, width_, {.accumulate = !first});
    if (batch.gradients.biases != nullptr) {
      matmul({1, columns, rows}, by_rows(shares, rows), panel_scores(panel), kPanelStride,
             lane.biases.data() + panel * kPanel, columns, {.accumulate = !first});
    }
    if (pairs.hidden > 0) add_hidden_sums(batch, begin, rows, panel, shares, panel_scores(panel), lane);
  }
}

// The sums of pair_relu.h over one panel. Turns its scores E into the gradients c_i E_ij - scale f_i [j = target]; with
// draws, the targets come in add_lanes().
void CatalogueSoftmax::add_hidden_sums(const Batch& batch, std::size_t begin, std::size_t rows, std::size_t panel,
                                       const float* shares, float* scores, Lane& lane) const {
  const ChoicePairs& pairs = batch.pairs;
  const std::size_t columns = panel_columns(batch.summed.items.count, panel);
  for (std::size_t i = 0; i < rows; ++i) {
    scale(columns, shares[i], scores + i * kPanelStride);
    const std::uint32_t item = batch.targets.items[begin + i];
    if (batch.summed.numbers == nullptr && item / kPanel == panel) {
      scores[i * kPanelStride + item % kPanel] += factors_[begin + i];
    }
  }
  const std::size_t first_item = panel * kPanel * pairs.hidden;
  add_pair_relu_sums({rows, columns, pairs.hidden}, pairs.targets + begin * pairs.hidden,
                     batch.summed.hidden + first_item, scores, kPanelStride, pairs.d_targets + begin * pairs.hidden,
                     lane.hidden.data() + first_item);
}

void CatalogueSoftmax::add_lanes(const Batch& batch, std::size_t lanes, ThreadPool& threads) {
  const auto add = [&](std::size_t begin, std::size_t count, std::size_t columns, AlignedArray<float> Lane::*values,
                       float* out) {
    std::copy_n((lanes_[0].*values).data() + begin * columns, count * columns, out);
    for (std::size_t lane = 1; lane < lanes; ++lane) {
      axpy(count * columns, 1.0F, (lanes_[lane].*values).data() + begin * columns, out);
    }
  };
  float* keys = batch.gradients.keys;
  float* biases = batch.gradients.biases;
  const ChoicePairs& pairs = batch.pairs;
  const std::size_t hidden = pairs.hidden;
  if (batch.summed.numbers == nullptr) {
    threads.run(batch.summed.panels, [&](std::size_t panel, std::size_t) {
      const std::size_t begin = panel * kPanel;
      const std::size_t count = panel_columns(batch.summed.items.count, panel);
      add(begin, count, width_, &Lane::keys, keys + begin * width_);
      if (biases != nullptr) add(begin, count, 1, &Lane::biases, biases + begin);
      if (hidden > 0) add(begin, count, hidden, &Lane::hidden, pairs.d_items + begin * hidden);
    });
  } else {
    const std::size_t draws = batch.summed.items.count;
    threads.run(batch.summed.panels, [&](std::size_t panel, std::size_t) {
      const std::size_t begin = panel * kPanel;
      const std::size_t count = panel_columns(draws, panel);
      // The copies of the drawn rows have been used.
      add(begin, count, width_, &Lane::keys, drawn_keys_.data() + begin * width_);
      if (biases != nullptr) add(begin, count, 1, &Lane::biases, drawn_biases_.data() + begin);
      if (hidden > 0) add(begin, count, hidden, &Lane::hidden, drawn_hidden_.data() + begin * hidden);
    });
    std::fill_n(keys, batch.items.count * width_, 0.0F);
    add_to_rows({drawn_keys_.data(), draws, width_, width_}, {batch.summed.numbers, draws},
                {keys, batch.items.count, width_, width_});
    if (biases != nullptr) {
      std::fill_n(biases, batch.items.count, 0.0F);
      for (std::size_t j = 0; j < draws; ++j) biases[batch.summed.numbers[j]] += drawn_biases_[j];
    }
    if (hidden > 0) {
      std::fill_n(pairs.d_items, batch.items.count * hidden, 0.0F);
      add_to_rows({drawn_hidden_.data(), draws, hidden, hidden}, {batch.summed.numbers, draws},
                  {pairs.d_items, batch.items.count, hidden, hidden});
      for (std::size_t i = 0; i < batch.targets.count; ++i) {
        const std::size_t item = batch.targets.items[i] * hidden;
        add_pair_relu_sums({1, 1, hidden}, pairs.targets + i * hidden, pairs.items + item, &factors_[i], 1,
                           pairs.d_targets + i * hidden, pairs.d_items + item);
      }
    }
  }
  for (std::size_t i = 0; i < batch.targets.count; ++i) {
    const std::uint32_t item = batch.targets.items[i];
    axpy(width_, factors_[i], batch.targets.queries + i * width_, keys + item * width_);
    if (biases != nullptr) biases[item] += factors_[i];
  }
  if (hidden > 0) finish_pairs(batch);
}

// From the sums of pair_relu.h to the gradients.
void CatalogueSoftmax::finish_pairs(const Batch& batch) {
  const ChoicePairs& pairs = batch.pairs;
  const std::size_t hidden = pairs.hidden;
  std::fill_n(pairs.d_weights, hidden, 0.0F);
  const auto finish = [&](std::size_t rows, const float* values, float* sums) {
    for (std::size_t i = 0; i < rows * hidden; i += hidden) {
      multiply_add(hidden, values + i, sums + i, pairs.d_weights);
      multiply(hidden, pairs.weights, sums + i, sums + i);
    }
  };
  finish(batch.targets.count, pairs.targets, pairs.d_targets);
  finish(batch.items.count, pairs.items, pairs.d_items);
}

}  // namespace linn
