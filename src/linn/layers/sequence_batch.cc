#include "linn/layers/sequence_batch.h"

#include <algorithm>

namespace linn {

void SequenceBatch::assign(std::span<const std::uint32_t> lengths) {
  const std::size_t count = lengths.size();
  const std::size_t steps = count == 0 ? 0 : *std::ranges::max_element(lengths);
  assert(std::ranges::all_of(lengths, [](std::uint32_t length) { return length > 0; }));

  // How many sequences are longer than t, for every t: first the number with exactly t + 1 elements, then their sums
  // from the end. These are the sizes of the steps, and the sums of the sizes are where the steps begin.
  step_begin_.assign(steps + 1, 0);
  for (const std::uint32_t length : lengths) ++step_begin_[length];
  for (std::size_t t = steps; t > 1; --t) step_begin_[t - 1] += step_begin_[t];

  // A counting sort: the sequences of one length follow all longer ones. Where the next one goes is kept in
  // rows_by_sequence_, which is not in use yet.
  std::vector<std::uint32_t>& place = rows_by_sequence_;
  place.assign(steps + 1, 0);
  for (std::size_t length = 1; length < steps; ++length) place[length] = step_begin_[length + 1];
  order_.resize(count);
  source_begin_.resize(count);
  std::uint32_t source = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t sorted = place[lengths[i]]++;
    order_[sorted] = static_cast<std::uint32_t>(i);
    source_begin_[sorted] = source;
    source += lengths[i];
  }

  for (std::size_t t = 0; t < steps; ++t) step_begin_[t + 1] += step_begin_[t];

  sequence_begin_.resize(count + 1);
  sequence_begin_[0] = 0;
  last_rows_.resize(count);
  rows_by_sequence_.resize(source);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t length = lengths[order_[i]];
    const std::uint32_t begin = sequence_begin_[i];
    sequence_begin_[i + 1] = begin + length;
    for (std::size_t t = 0; t < length; ++t) rows_by_sequence_[begin + t] = static_cast<std::uint32_t>(row(i, t));
    last_rows_[i] = rows_by_sequence_[begin + length - 1];
  }
}

void SequenceElements::clear() {
  rows.clear();
  steps.clear();
  begin.assign(1, 0);
}

void SequenceElements::assign_last(const SequenceBatch& batch) {
  clear();
  for (std::size_t i = 0; i < batch.sequences(); ++i) {
    add(batch, i, batch.length(i) - 1);
    end_sequence();
  }
}

}  // namespace linn
