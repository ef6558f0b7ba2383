#include "linn/cuda/row_kernels.h"
#include "linn/cuda/update.h"

namespace linn::cuda {
namespace {

constexpr u32 kThreads = 256;
constexpr u32 kNormPart = 8192;

// One step of one element. Sums of products are written as fmaf, so that every caller gets the same bits.
__device__ void update(const UpdateRule& rule, const StepFactors& step, float gradient, float* m, float* v, float* p) {
  float x = *p;
  const float g = fmaf(rule.decay, x, gradient);
  x = fmaf(-step.shrink, x, x);
  switch (rule.kind) {
    case UpdateKind::kSgd:
      x = fmaf(-step.rate, g, x);
      break;
    case UpdateKind::kAdagrad:
      *v = fmaf(g, g, *v);
      x -= step.rate * g / (sqrtf(*v) + rule.epsilon);
      break;
    case UpdateKind::kAdam:
      *m = fmaf(rule.rest1, g, rule.beta1 * *m);
      *v = fmaf(rule.rest2, g * g, rule.beta2 * *v);
      x -= step.rate * *m / fmaf(sqrtf(*v), step.root_factor, rule.epsilon);
      break;
  }
  *p = x;
}

__device__ float clipped(const UpdateRule& rule, const float* scale, float gradient) {
  const float g = scale != nullptr ? *scale * gradient : gradient;
  return g > rule.clip ? rule.clip : g < -rule.clip ? -rule.clip : g;
}

__global__ void remember_kernel(PastSteps past, u32 step, StepFactors factors) {
  past.factors[step % past.capacity] = factors;
}

__device__ void replay(const UpdateRule& rule, const PastSteps& past, const TableState& table, u32 row, u32 until) {
  const u32 done = table.done[row];
  for (u32 i = lane(); i < table.width && done < until; i += kWarp) {
    const std::size_t at = std::size_t{row} * table.width + i;
    float m = table.m != nullptr ? table.m[at] : 0.0F;
    float v = table.v != nullptr ? table.v[at] : 0.0F;
    float p = table.values[at];
    for (u32 step = done + 1; step <= until; ++step) {
      update(rule, past.factors[step % past.capacity], 0.0F, &m, &v, &p);
    }
    if (table.m != nullptr) table.m[at] = m;
    if (table.v != nullptr) table.v[at] = v;
    table.values[at] = p;
  }
}

__global__ void catch_up_kernel(UpdateRule rule, PastSteps past, TableState table, const u32* rows, u32 count,
                                u32 step) {
  const u32 number = warp_row();
  if (number >= count) return;
  const u32 row = rows != nullptr ? rows[number] : number;
  replay(rule, past, table, row, step);
  // No lane may still have to read it.
  warp_sum(0.0F);
  if (lane() == 0) table.done[row] = step;
}

__global__ void sum_row_gradients_kernel(RowGradients g) {
  const u32 row = warp_row();
  if (row >= g.rows) return;
  for (u32 i = lane(); i < g.width; i += kWarp) {
    const std::size_t at = std::size_t{row} * g.width + i;
    float sum = row < g.first_rows ? g.first[at] : 0.0F;
    for (u32 use = g.starts[row]; use < g.starts[row + 1]; ++use) {
      const std::size_t place = std::size_t{g.nodes[use]} * g.width + i;
      float gradient = g.d_variables[place];
      if (g.dropout > 0.0F) gradient *= dropout_factor(g.dropout_seed, place, g.dropout);
      sum += gradient;
    }
    g.gradients[at] = sum;
  }
}

__global__ void norm_parts_kernel(const float* a, std::size_t a_size, const float* b, std::size_t b_size,
                                  double* parts) {
  const u32 a_parts = static_cast<u32>((a_size + kNormPart - 1) / kNormPart);
  const bool first = blockIdx.x < a_parts;
  const float* from = first ? a : b;
  const std::size_t size = first ? a_size : b_size;
  const std::size_t begin = std::size_t{first ? blockIdx.x : blockIdx.x - a_parts} * kNormPart;
  __shared__ double sums[kThreads];
  double sum = 0.0;
  for (std::size_t i = begin + threadIdx.x; i < size && i < begin + kNormPart; i += kThreads) {
    sum += static_cast<double>(from[i]) * static_cast<double>(from[i]);
  }
  sum = block_total(sum, sums);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

// As Optimizer::clipping_factor: a norm of NaN clips nothing.
__global__ void clip_kernel(double clip_norm, u32 count, const double* parts, float* scale) {
  __shared__ double sums[kThreads];
  double sum = 0.0;
  for (u32 i = threadIdx.x; i < count; i += kThreads) sum += parts[i];
  sum = block_total(sum, sums);
  const double factor = clip_norm / (sqrt(sum) + 1e-6);
  if (threadIdx.x == 0) *scale = factor < 1.0 ? static_cast<float>(factor) : 1.0F;
}

__global__ void update_parameters_kernel(UpdateRule rule, StepFactors step, const float* scale, u32 size,
                                         const std::uint8_t* decays, const float* gradients, float* m, float* v,
                                         float* values) {
  const u32 i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= size) return;
  if (decays[i] == 0) rule.decay = step.shrink = 0.0F;
  update(rule, step, clipped(rule, scale, gradients[i]), m + i, v + i, values + i);
}

__global__ void update_rows_kernel(UpdateRule rule, StepFactors step, u32 number, const float* scale, TableState table,
                                   const u32* rows, u32 count, const float* gradients) {
  const u32 place = warp_row();
  if (place >= count) return;
  const u32 row = rows[place];
  for (u32 i = lane(); i < table.width; i += kWarp) {
    const std::size_t at = std::size_t{row} * table.width + i;
    update(rule, step, clipped(rule, scale, gradients[std::size_t{place} * table.width + i]), table.m + at,
           table.v + at, table.values + at);
  }
  if (lane() == 0) table.done[row] = number;
}

}  // namespace

void remember(const Stream& stream, const PastSteps& past, u32 step, const StepFactors& factors) {
  stream.launch(remember_kernel, dim3(1), 1, 0, past, step, factors);
}

void catch_up(const Stream& stream, const UpdateRule& rule, const PastSteps& past, const TableState& table,
              const u32* rows, u32 count, u32 step) {
  launch_rows(stream, catch_up_kernel, count, rule, past, table, rows, count, step);
}

void sum_row_gradients(const Stream& stream, const RowGradients& rows) {
  launch_rows(stream, sum_row_gradients_kernel, rows.rows, rows);
}

std::size_t norm_parts(std::size_t a, std::size_t b) { return blocks_of(a, kNormPart) + blocks_of(b, kNormPart); }

void clip_by_norm(const Stream& stream, double clip_norm, const float* a, std::size_t a_size, const float* b,
                  std::size_t b_size, double* parts, float* scale) {
  const auto count = static_cast<u32>(norm_parts(a_size, b_size));
  stream.launch(norm_parts_kernel, dim3(count), kThreads, 0, a, a_size, b, b_size, parts);
  stream.launch(clip_kernel, dim3(1), kThreads, 0, clip_norm, count, static_cast<const double*>(parts), scale);
}

void update_parameters(const Stream& stream, const UpdateRule& rule, const StepFactors& step, const float* scale,
                       u32 size, const std::uint8_t* decays, const float* gradients, float* m, float* v,
                       float* values) {
  stream.launch(update_parameters_kernel, dim3(blocks_of(size, kThreads)), kThreads, 0, rule, step, scale, size, decays,
                gradients, m, v, values);
}

void update_rows(const Stream& stream, const UpdateRule& rule, const StepFactors& step, u32 number, const float* scale,
                 const TableState& table, const u32* rows, u32 count, const float* gradients) {
  launch_rows(stream, update_rows_kernel, count, rule, step, number, scale, table, rows, count, gradients);
}

}  // namespace linn::cuda
