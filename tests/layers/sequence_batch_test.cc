#include "linn/layers/sequence_batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "linn/base/random.h"

namespace linn {
namespace {

using Ids = std::vector<std::uint32_t>;

Ids copy(std::span<const std::uint32_t> ids) { return {ids.begin(), ids.end()}; }

TEST(SequenceBatch, LiesAsTheHeaderSays) {
  const SequenceBatch batch(Ids{2, 4, 1});
  EXPECT_EQ(batch.sequences(), 3U);
  EXPECT_EQ(batch.steps(), 4U);
  EXPECT_EQ(batch.rows(), 7U);
  EXPECT_EQ(copy(batch.order()), (Ids{1, 0, 2}));
  EXPECT_EQ(copy(batch.last_rows()), (Ids{6, 4, 2}));
  EXPECT_EQ(copy(batch.rows_by_sequence()), (Ids{0, 3, 5, 6, 1, 4, 2}));
  // a = 10, 11; b = 20, 21, 22, 23; c = 30
  const Ids elements = {10, 11, 20, 21, 22, 23, 30};
  Ids packed(7);
  batch.pack<std::uint32_t>(elements, packed);
  EXPECT_EQ(packed, (Ids{20, 10, 30, 21, 11, 22, 23}));
}

TEST(SequenceElements, AreOrderedBySequenceAndStep) {
  const SequenceBatch batch(Ids{2, 4, 1});
  SequenceElements elements;
  elements.assign_last(batch);
  EXPECT_EQ(elements.rows, copy(batch.last_rows()));
  EXPECT_EQ(elements.steps, (Ids{3, 1, 0}));
  EXPECT_EQ(elements.begin, (Ids{0, 1, 2, 3}));

  elements.clear();
  elements.add(batch, 0, 1);
  elements.add(batch, 0, 2);
  elements.end_sequence();
  elements.end_sequence();
  elements.add(batch, 2, 0);
  elements.end_sequence();
  EXPECT_EQ(elements.rows, (Ids{3, 5, 2}));
  std::vector<Ids> visits;
  for_each_up_to(batch, elements, [&](std::size_t row, std::size_t end, std::size_t length) {
    visits.push_back(
        {static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(end), static_cast<std::uint32_t>(length)});
  });
  EXPECT_EQ(visits, (std::vector<Ids>{{0, 0, 2}, {3, 0, 2}, {0, 1, 3}, {3, 1, 3}, {5, 1, 3}, {2, 2, 1}}));
}

TEST(SequenceBatch, AnyLengths) {
  Random random(1);
  SequenceBatch batch;
  EXPECT_EQ(batch.rows(), 0U);
  EXPECT_EQ(batch.steps(), 0U);
  for (int round = 0; round < 200; ++round) {
    Ids lengths(random.below(9));
    for (std::uint32_t& length : lengths) length = static_cast<std::uint32_t>(random.between(1, 6));
    batch.assign(lengths);
    ASSERT_EQ(batch.sequences(), lengths.size());
    std::size_t rows = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      ASSERT_EQ(batch.length(i), lengths[batch.order()[i]]);
      if (i > 0) ASSERT_LE(batch.length(i), batch.length(i - 1));
      if (i > 0 && batch.length(i) == batch.length(i - 1)) ASSERT_LT(batch.order()[i - 1], batch.order()[i]);
      ASSERT_EQ(batch.sequence_begin(i), rows);
      for (std::size_t t = 0; t < batch.length(i); ++t, ++rows) {
        ASSERT_EQ(batch.rows_by_sequence()[rows], batch.row(i, t));
        ASSERT_LT(i, batch.step_size(t));
        ASSERT_LT(batch.row(i, t), batch.step_begin(t) + batch.step_size(t));
      }
      ASSERT_EQ(batch.last_rows()[i], batch.row(i, batch.length(i) - 1));
    }
    ASSERT_EQ(batch.rows(), rows);
    ASSERT_EQ(batch.step_size(batch.steps()), 0U);
    ASSERT_EQ(batch.step_size(batch.steps() + 5), 0U);
    Ids distinct = copy(batch.rows_by_sequence());
    std::sort(distinct.begin(), distinct.end());
    for (std::size_t row = 0; row < rows; ++row) ASSERT_EQ(distinct[row], row);
  }
}

}  // namespace
}  // namespace linn
