// The gradient of a lookup in an embedding table.
//
// Forward is gather_rows(table, ids, x). The gradient of the table is zero except for the rows that were looked up, so
// only those rows are kept:
//
//   RowGradients gradients;
//   gradients.clear();
//   gradients.add(history_ids, d_history);   // several lookups in the same table ...
//   gradients.add(target_ids, d_target);
//   gradients.merge();                       // ... and one gradient per distinct row
//   for (i = 0; i < gradients.rows().size(); ++i) update(table.row(gradients.rows()[i]), gradients.values().row(i));
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linn/layers/layer.h"

namespace linn {

// Allocates only for a batch larger than all before.
class RowGradients {
 public:
  void clear();

  // Row i of the gradients belongs to row ids[i] of the table. Both must not change until merge. All gradients have the
  // same number of columns.
  void add(std::span<const std::uint32_t> ids, const ConstMatrixView& gradients);

  // values[k] = Σ gradients[i] over all i with ids[i] = rows[k], added in the order of add.
  void merge();

  // After merge: the distinct ids in ascending order, and one row for each.
  std::span<const std::uint32_t> rows() const { return rows_; }
  ConstMatrixView values() const { return values_.view(); }

 private:
  struct Occurrence {
    std::uint32_t id;
    std::uint32_t position;  // among all that were added
    const float* gradient;
  };

  std::vector<Occurrence> occurrences_;
  std::vector<std::uint32_t> rows_;
  Matrix values_;
  std::size_t cols_ = 0;
};

}  // namespace linn
