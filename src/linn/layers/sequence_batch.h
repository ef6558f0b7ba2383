// A batch of sequences of different lengths, laid out without padding.
//
// The sequences are sorted by length, longest first. A packed matrix has one row per element of every sequence, step by
// step: first the first elements of all sequences, then the second elements of those that have one,
// and so on. Lengths 2, 4, 1 (the caller's sequences a, b, c) become
//
//   sequence 0 = b, 1 = a, 2 = c        step    0     0     0     1     1     2     3
//                                       row     0     1     2     3     4     5     6
//                                       element b[0]  a[0]  c[0]  b[1]  a[1]  b[2]  b[3]
//
// The sequences of a step are always the first ones, so step t is the block of rows [step_begin(t), step_begin(t) +
// step_size(t)), and the same sequences one step before are the first rows of the block before it. A recurrent layer
// multiplies whole blocks; what treats every element alike multiplies the whole matrix at once.
//
// A matrix with one row per sequence (last states, attention results) is in the sorted order:
// scatter_rows(matrix, batch.order(), target) brings it into the caller's order, gather_rows(source, batch.order(),
// matrix) back.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace linn {

class SequenceBatch {
 public:
  SequenceBatch() = default;
  explicit SequenceBatch(std::span<const std::uint32_t> lengths) { assign(lengths); }

  // The lengths in the caller's order, none of them 0. Sequences of equal length stay in order. Allocates only for a
  // batch larger than all before.
  void assign(std::span<const std::uint32_t> lengths);

  std::size_t sequences() const { return order_.size(); }
  std::size_t steps() const { return step_begin_.size() - 1; }
  std::size_t rows() const { return rows_by_sequence_.size(); }

  std::size_t step_begin(std::size_t step) const { return step_begin_[step]; }
  // The number of sequences with more than `step` elements: 0 after the last step.
  std::size_t step_size(std::size_t step) const {
    return step < steps() ? step_begin_[step + 1] - step_begin_[step] : 0;
  }
  std::size_t length(std::size_t sequence) const { return sequence_begin_[sequence + 1] - sequence_begin_[sequence]; }
  std::size_t row(std::size_t sequence, std::size_t step) const { return step_begin_[step] + sequence; }

  // The caller's index of each sequence.
  std::span<const std::uint32_t> order() const { return order_; }
  // The packed row of each sequence's last element. Those of the first elements are 0, 1, 2, ...
  std::span<const std::uint32_t> last_rows() const { return last_rows_; }

  // The packed rows sequence by sequence; those of a sequence begin at sequence_begin. For layers that need a sequence
  // as one matrix.
  std::span<const std::uint32_t> rows_by_sequence() const { return rows_by_sequence_; }
  std::size_t sequence_begin(std::size_t sequence) const { return sequence_begin_[sequence]; }

  // Brings one value per element, given sequence after sequence, into the packed order.
  template <class T>
  void pack(std::span<const T> elements, std::span<T> packed) const {
    assert(elements.size() == rows() && packed.size() == rows());
    for (std::size_t i = 0; i < sequences(); ++i) {
      for (std::size_t t = 0; t < length(i); ++t) packed[row(i, t)] = elements[source_begin_[i] + t];
    }
  }

 private:
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> source_begin_;  // of every sequence in the caller's concatenation
  std::vector<std::uint32_t> step_begin_ = {0};
  std::vector<std::uint32_t> sequence_begin_;
  std::vector<std::uint32_t> last_rows_;
  std::vector<std::uint32_t> rows_by_sequence_;
};

// Elements of a batch, ordered by sequence and step.
struct SequenceElements {
  std::vector<std::uint32_t> rows;   // packed
  std::vector<std::uint32_t> steps;  // within their sequences
  std::vector<std::uint32_t> begin;  // of the elements of every sequence, and the end

  std::size_t size() const { return rows.size(); }

  // Starts an empty list. Afterwards, for every sequence in order: add() its elements, then end_sequence().
  void clear();
  void add(const SequenceBatch& batch, std::size_t sequence, std::size_t step) {
    rows.push_back(static_cast<std::uint32_t>(batch.row(sequence, step)));
    steps.push_back(static_cast<std::uint32_t>(step));
  }
  void end_sequence() { begin.push_back(static_cast<std::uint32_t>(rows.size())); }

  void assign_last(const SequenceBatch& batch);
};

// Calls work(row, end, length) for the packed row of every element up to and including every one of `ends`, which come
// with their number and the number of elements up to them.
template <class Work>
void for_each_up_to(const SequenceBatch& batch, const SequenceElements& ends, const Work& work) {
  for (std::size_t i = 0; i < batch.sequences(); ++i) {
    for (std::size_t end = ends.begin[i]; end < ends.begin[i + 1]; ++end) {
      const std::size_t length = ends.steps[end] + std::size_t{1};
      for (std::size_t t = 0; t < length; ++t) work(batch.row(i, t), end, length);
    }
  }
}

}  // namespace linn
