// The optimizer on the device: the formulas of update_kernels.h, over the parameters and over the rows of a table that
// a step touched. Rows make up for the steps that they missed when they are next read.
#pragma once

#include "linn/cuda/runtime.h"
#include "linn/kernels/update_kernels.h"

namespace linn::cuda {

struct TableState {
  float* values = nullptr;
  float* m = nullptr;
  float* v = nullptr;
  u32* done = nullptr;  // the last step of each row
  u32 rows = 0;
  u32 width = 0;
};

// The factors of the last steps, in a ring.
struct PastSteps {
  StepFactors* factors = nullptr;
  u32 capacity = 0;
};

// Notes the factors of a step.
void remember(const Stream& stream, const PastSteps& past, u32 step, const StepFactors& factors);
// Brings rows up to a step; null: all rows in order.
void catch_up(const Stream& stream, const UpdateRule& rule, const PastSteps& past, const TableState& table,
              const u32* rows, u32 count, u32 step);

// The gradients of the rows that a step touched. Row i has those of the nodes row_nodes[row_starts[i]] up to
// row_starts[i + 1], which were multiplied by dropout, and before them its own row of `first`, if i < first_rows.
struct RowGradients {
  u32 rows = 0;
  u32 width = 0;
  const u32* starts = nullptr;
  const u32* nodes = nullptr;  // counted from the first variable
  const float* d_variables = nullptr;
  float dropout = 0.0F;
  std::uint64_t dropout_seed = 0;
  const float* first = nullptr;
  u32 first_rows = 0;
  float* gradients = nullptr;
};
void sum_row_gradients(const Stream& stream, const RowGradients& rows);

// scale[0] = min(1, clip_norm / (norm of both arrays + 1e-6)); `parts` has norm_parts() elements.
std::size_t norm_parts(std::size_t a, std::size_t b);
void clip_by_norm(const Stream& stream, double clip_norm, const float* a, std::size_t a_size, const float* b,
                  std::size_t b_size, double* parts, float* scale);

// `scale`: null for 1. `decays`: by element.
void update_parameters(const Stream& stream, const UpdateRule& rule, const StepFactors& step, const float* scale,
                       u32 size, const std::uint8_t* decays, const float* gradients, float* m, float* v, float* values);
void update_rows(const Stream& stream, const UpdateRule& rule, const StepFactors& step, u32 number, const float* scale,
                 const TableState& table, const u32* rows, u32 count, const float* gradients);

}  // namespace linn::cuda
