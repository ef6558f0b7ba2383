#include <algorithm>

#include "linn/cuda/fold.h"
#include "linn/cuda/logic_pass.h"
#include "linn/cuda/row_kernels.h"

namespace linn::cuda {
namespace {

// T, zeros for F, which is computed after it, and the variables, with dropout.
__global__ void inputs_kernel(Pass m, const float* table, bool gathered) {
  const u32 row = warp_row();
  const u32 d = m.shape.width;
  if (row >= kFirstVariable + m.plan.variables) return;
  for (u32 i = lane(); i < d; i += kWarp) {
    float value = 0.0F;
    if (row == kTrue) {
      value = m.true_vector[i];
    } else if (row >= kFirstVariable) {
      const u32 variable = row - kFirstVariable;
      value = table[std::size_t{gathered ? variable : m.plan.variable_rows[variable]} * d + i];
      if (m.dropout > 0.0F) value *= dropout_factor(m.dropout_seed, std::uint64_t{variable} * d + i, m.dropout);
    }
    m.vector(row)[i] = value;
  }
}

// out = (P a) * (Q b)
template <class Operands>
__global__ void multiply_kernel(Pass m, GateRows g, Operands operands) {
  const u32 row = warp_row();
  if (row >= g.rows) return;
  const float* left = m.projection(operands.left(row)) + m.shape.offset[slot(g.gate, false)];
  const float* right = m.projection(operands.right(row)) + m.shape.offset[slot(g.gate, true)];
  const u32 d = m.shape.width;
  for (u32 i = lane(); i < d; i += kWarp) g.out[std::size_t{row} * d + i] = left[i] * right[i];
}

template <class Operands>
__global__ void multiply_backward_kernel(Pass m, GateRows g, Operands operands) {
  const u32 row = warp_row();
  if (row >= g.rows) return;
  const float* left = m.projection(operands.left(row)) + m.shape.offset[slot(g.gate, false)];
  const float* right = m.projection(operands.right(row)) + m.shape.offset[slot(g.gate, true)];
  for (u32 i = lane(); i < m.shape.width; i += kWarp) {
    const float d_out = g.d_out[std::size_t{row} * m.shape.width + i];
    g.d_left[std::size_t{row} * m.shape.gate_stride + i] = d_out * right[i];
    g.d_right[std::size_t{row} * m.shape.gate_stride + i] = d_out * left[i];
  }
}

// x min(1, c / |x|)
__global__ void bound_kernel(Shape s, GateRows g) {
  const u32 row = warp_row();
  if (row >= g.rows) return;
  float* x = g.out + std::size_t{row} * s.width;
  const float square = warp_dot(s.width, x, x);
  const float shrink = square > s.bound * s.bound ? s.bound / sqrtf(square) : 1.0F;
  if (lane() == 0) g.shrink[row] = shrink;
  for (u32 i = lane(); i < s.width; i += kWarp) x[i] *= shrink;
}

__global__ void bound_backward_kernel(Shape s, GateRows g) {
  const u32 row = warp_row();
  if (row >= g.rows) return;
  const float* out = g.out + std::size_t{row} * s.width;
  const float* d_out = g.d_out + std::size_t{row} * s.width;
  float* d_sum = g.d_sum + std::size_t{row} * s.width;
  const float shrink = g.shrink[row];
  const float along = shrink < 1.0F ? warp_dot(s.width, out, d_out) / (s.bound * s.bound) : 0.0F;
  for (u32 i = lane(); i < s.width; i += kWarp) d_sum[i] = shrink * (d_out[i] - along * out[i]);
}

__global__ void root_scores_kernel(Pass m, float* scores) {
  const u32 row = warp_row();
  if (row >= m.plan.root_nodes) return;
  const float* vector = m.vector(m.plan.root_node[row]);
  const float* truth = m.vector(kTrue);
  const float score = m.shape.dot ? warp_dot(m.shape.width, vector, truth) : Cosine(m.shape, vector, truth).score;
  if (lane() == 0) scores[row] = score;
}

__global__ void spread_scores_kernel(PlanView plan, const float* root_scores, float* scores) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < plan.roots) scores[i] = root_scores[plan.root_of[i]];
}

__global__ void score_gradients_kernel(Pass m, const float* d_scores) {
  const u32 row = warp_row();
  if (row >= m.plan.root_nodes) return;
  const u32 node = m.plan.root_node[row];
  const float* truth = m.vector(kTrue);
  float d_score = 0.0F;
  for (u32 i = m.plan.root_starts[row]; i < m.plan.root_starts[row + 1]; ++i) d_score += d_scores[m.plan.root_items[i]];
  float of_truth = d_score;
  float of_vector = 0.0F;
  if (!m.shape.dot) {
    const Cosine cosine(m.shape, m.vector(node), truth);
    of_truth = d_score * cosine.cross;
    of_vector = d_score * cosine.own_a;
  }
  for (u32 i = lane(); i < m.shape.width; i += kWarp) {
    m.d_vector(node)[i] += of_truth * truth[i] + of_vector * m.vector(node)[i];
  }
}

__global__ void root_gradients_kernel(Pass m, const float* d_roots) {
  const u32 row = warp_row();
  if (row >= m.plan.root_nodes) return;
  const u32 node = m.plan.root_node[row];
  for (u32 i = lane(); i < m.shape.width; i += kWarp) {
    float sum = m.d_vector(node)[i];
    for (u32 at = m.plan.root_starts[row]; at < m.plan.root_starts[row + 1]; ++at) {
      sum += d_roots[std::size_t{m.plan.root_items[at]} * m.shape.width + i];
    }
    m.d_vector(node)[i] = sum;
  }
}

// The gradient of the length term, and its value by node.
__global__ void lengths_kernel(Pass m) {
  const u32 node = warp_row();
  if (node >= m.plan.nodes + m.plan.law_rows) return;
  const u32 d = m.shape.width;
  float factor = 0.0F;
  if (node < m.plan.nodes) {
    const float count = m.plan.counts[node];
    float value = 0.0F;
    if (m.length != 0.0F && count != 0.0F) {
      const float square = warp_dot(d, m.vector(node), m.vector(node));
      const float norm = sqrtf(square);
      value = count * (m.squared_length ? square : norm);
      factor = m.length * count * (m.squared_length ? 2.0F : norm > 0.0F ? 1.0F / norm : 0.0F);
    }
    if (lane() == 0) m.length_values[node] = value;
  }
  for (u32 i = lane(); i < d; i += kWarp) m.d_vector(node)[i] = factor == 0.0F ? 0.0F : factor * m.vector(node)[i];
}

// One law of one row: its value, the gradient of a, written or added, and that of b, added, unless null.
__device__ void compare(const Pass& m, u32 law, u32 r, float weight, const float* a, const float* b, float* d_a,
                        bool add, float* d_b) {
  const Cosine cosine(m.shape, a, b);
  const float p = logistic(cosine.score);
  const bool differ = law == kNegation;
  if (lane() == 0) {
    const float value = weight * (differ ? p : 1.0F - p);
    m.law_values[std::size_t{law} * (m.plan.law_rows + 1) + r] = m.law_scale[law] != 0.0F ? value : 0.0F;
  }
  const float d_score = (differ ? 1.0F : -1.0F) * m.law_scale[law] * weight * p * (1.0F - p);
  for (u32 i = lane(); i < m.shape.width; i += kWarp) {
    const float x = a[i];
    const float y = b[i];
    const float d = d_score * (cosine.cross * y + cosine.own_a * x);
    d_a[i] = add ? d_a[i] + d : d;
    if (d_b != nullptr) d_b[i] += d_score * (cosine.cross * x + cosine.own_b * y);
  }
}

// All laws of a row, one after the other, as they add to the same vectors; the last row is T, which differs from F.
__global__ void laws_kernel(Pass m) {
  const u32 r = warp_row();
  const u32 n = m.plan.law_rows;
  const u32 d = m.shape.width;
  if (r > n) return;
  if (r == n) {
    compare(m, kNegation, r, 1.0F, m.vector(kFalse), m.vector(kTrue), m.d_vector(kFalse), true, nullptr);
    for (u32 law = 1 + lane(); law < kLaws; law += kWarp) m.law_values[std::size_t{law} * (n + 1) + r] = 0.0F;
    return;
  }
  const u32 node = m.plan.law_nodes[r];
  const float weight = m.plan.law_weights[r];
  const float* w = m.vector(node);
  float* d_w = m.d_vector(node);
  float* d_false = m.d_false + std::size_t{r} * d;
  for (u32 i = lane(); i < d; i += kWarp) d_false[i] = 0.0F;
  compare(m, kNegation, r, weight, m.vector(m.plan.nodes + r), w, m.d_vector(m.plan.nodes + r), true, d_w);
  compare(m, kDoubleNegation, r, weight, m.law_out + std::size_t{r} * d, w, m.d_law_out + std::size_t{r} * d, false,
          d_w);
  for (u32 gate = 0; gate < 2; ++gate) {
    for (u32 number = 0; number < kGateLaws; ++number) {
      const std::size_t at = m.law_gate_at(gate) + (std::size_t{number} * n + r) * d;
      // AND: w, F, w, F.  OR: w, T, w, T.
      const bool like_w = number % 2 == 0;
      const float* target = like_w ? w : m.vector(gate == 0 ? kFalse : kTrue);
      float* d_target = like_w ? d_w : gate == 0 ? d_false : nullptr;
      compare(m, law_of(gate, number), r, weight, m.law_out + at, target, m.d_law_out + at, false, d_target);
    }
    if (lane() < 2) {
      const u32 number = lane();
      const bool swapped = LawOperands{m.plan, gate}.swapped(number, r);
      float* sides = m.law_sides + (std::size_t{gate * 2 + number} * n + r) * 2;
      sides[0] = swapped ? 0.0F : 1.0F;
      sides[1] = swapped ? 1.0F : 0.0F;
    }
  }
}

}  // namespace

float* LogicPass::array(std::size_t size) {
  if (next_buffer_ == buffers_.size()) buffers_.emplace_back();
  return buffers_[next_buffer_++].reshape(std::max<std::size_t>(size, 1));
}

void LogicPass::bind(const Pass& m, const Plan& plan, const PlanUpload& upload, const Staging& staging, bool backward) {
  m_ = m;
  plan_ = &plan;
  m_.plan = upload.view(staging);
  chains_ = upload.is_chains() && m_.shape.kind[1] != GateKind::kProduct && !avoid_chains_;
  chain_count_ = upload.chains();
  chain_starts_ = upload.chain_starts(staging);
  chain_gates_ = upload.chain_gates(staging);
  const std::size_t nodes = std::size_t{m_.plan.nodes} + m_.plan.law_rows;
  const std::size_t gates = m_.plan.gates;
  const std::size_t negations = m_.plan.negated + std::size_t{1};
  const Shape& s = m_.shape;
  next_buffer_ = 0;
  m_.vectors = array(nodes * s.width);
  m_.projections = array(nodes * s.projections);
  m_.hidden = array(gates * s.gate_stride);
  m_.shrink = array(gates);
  m_.negation_hidden = array(negations * s.negation);
  root_scores_.reshape(std::max<u32>(m_.plan.root_nodes, 1));
  scores_.reshape(std::max<u32>(m_.plan.roots, 1));
  if (chains_) transposed_.reshape(2 * std::size_t{s.width} * s.columns[slot(1, false)]);
  if (!backward) return;
  for (u32 gate = 0; gate < 2; ++gate) {
    gate_lists_[gate] = upload.gates_of(staging, gate);
    gate_counts_[gate] = upload.gate_count(gate);
  }
  negation_nodes_ = upload.negation_nodes(staging);
  m_.d_vectors = array(nodes * s.width);
  m_.d_projections = array(nodes * s.projections);
  m_.d_left = array(gates * s.gate_stride);
  m_.d_right = array(gates * s.gate_stride);
  m_.d_sum = array(gates * s.width);
  m_.d_negation_hidden = array(negations * s.negation);
  m_.length_values = array(nodes);
  const std::size_t n = m_.plan.law_rows;
  m_.law_negation_hidden = array(n * s.negation);
  m_.d_law_negation_hidden = array(n * s.negation);
  m_.law_double_hidden = array(n * s.negation);
  m_.d_law_double_hidden = array(n * s.negation);
  m_.law_hidden = array(2 * kGateLaws * n * s.gate_stride);
  m_.d_law_left = array(2 * kGateLaws * n * s.gate_stride);
  m_.d_law_right = array(2 * kGateLaws * n * s.gate_stride);
  m_.law_shrink = array(2 * kGateLaws * n);
  m_.law_out = array((1 + 2 * kGateLaws) * n * s.width);
  m_.d_law_out = array((1 + 2 * kGateLaws) * n * s.width);
  m_.d_false = array(n * s.width);
  m_.law_sides = array(4 * n * 2);
  m_.d_constants = array(constant_gradients(s));
  m_.law_values = array(kLaws * (n + 1));
}

GateRows LogicPass::level_rows(const Plan::Level& level) const {
  const Shape& s = m_.shape;
  const std::size_t first = level.begin - m_.plan.first_gate;
  return {level.gate == Gate::kOr ? 1U : 0U,
          level.end - level.begin,
          m_.hidden + first * s.gate_stride,
          m_.d_left + first * s.gate_stride,
          m_.d_right + first * s.gate_stride,
          m_.vector(level.begin),
          m_.d_vector(level.begin),
          m_.d_sum + first * s.width,
          m_.shrink + first};
}

LevelOperands LogicPass::level_operands(const Plan::Level& level) const {
  const std::size_t first = level.begin - m_.plan.first_gate;
  return {m_.plan.left + first, m_.plan.right + first};
}

GateRows LogicPass::law_rows(u32 gate) const {
  const Shape& s = m_.shape;
  const std::size_t first = m_.law_gate_row(gate);
  float* d_out = m_.d_law_out + m_.law_gate_at(gate);
  return {gate,
          kGateLaws * m_.plan.law_rows,
          m_.law_hidden + first * s.gate_stride,
          m_.d_law_left + first * s.gate_stride,
          m_.d_law_right + first * s.gate_stride,
          m_.law_out + m_.law_gate_at(gate),
          d_out,
          d_out,
          m_.law_shrink + first};
}

// --- Forward ---

void LogicPass::project(NodeMap node, u32 rows) {
  const Shape& s = m_.shape;
  product<false>(stream_, {rows, s.projections, s.width}, VectorRows{m_, node}, m_.weights.projection, s.projections,
                 ProjectionRows{m_, node});
}

template <class Operand>
void LogicPass::negate(u32 rows, const Operand& operand, float* hidden, NodeMap to, float* out) {
  const Shape& s = m_.shape;
  product<false>(stream_, {rows, s.width, s.negation}, NegationHidden<Operand>{m_, operand, hidden},
                 m_.weights.negation_out, s.width, NegationOut{m_, to, out});
}

template <class Operands>
void LogicPass::gates(const GateRows& rows, const Operands& operands) {
  const Shape& s = m_.shape;
  if (s.kind[rows.gate] == GateKind::kProduct) {
    launch_rows(stream_, multiply_kernel<Operands>, rows.rows, m_, rows, operands);
    return;
  }
  product<false>(stream_, {rows.rows, s.width, s.columns[slot(rows.gate, false)]},
                 GateHidden<Operands>{m_, rows, operands}, m_.weights.out[rows.gate], s.width,
                 GateOut<Operands>{m_, rows, operands});
  if (s.kind[rows.gate] == GateKind::kLeftResidual) launch_rows(stream_, bound_kernel, rows.rows, s, rows);
}

void LogicPass::forward(const float* table, bool gathered) {
  const PlanView& plan = m_.plan;
  launch_rows(stream_, inputs_kernel, kFirstVariable + plan.variables, m_, table, gathered);
  const NodeMap variables = {kTrue, kFirstVariable};
  const NodeMap negations = {kFalse, plan.first_negation};
  project(variables, 1 + plan.variables);
  negate(1 + plan.negated, variables, m_.negation_hidden, negations, m_.vectors);
  project(negations, 1 + plan.negated);
  if (chains_) {
    fold();
    if (plan.law_rows > 0) project(consecutive(plan.first_gate), plan.gates);
    return;
  }
  for (const Plan::Level& level : plan_->levels) {
    gates(level_rows(level), level_operands(level));
    project(consecutive(level.begin), level.end - level.begin);
  }
}

const float* LogicPass::scores() {
  launch_rows(stream_, root_scores_kernel, m_.plan.root_nodes, m_, root_scores_.data());
  stream_.launch(spread_scores_kernel, dim3(blocks_of(m_.plan.roots, 256)), 256, 0, m_.plan,
                 static_cast<const float*>(root_scores_.data()), scores_.data());
  return scores_.data();
}

void LogicPass::laws_forward() {
  const u32 n = m_.plan.law_rows;
  negate(n, ListedNodes{m_.plan.law_nodes}, m_.law_negation_hidden, consecutive(m_.plan.nodes), m_.vectors);
  project(consecutive(m_.plan.nodes), n);
  negate(n, consecutive(m_.plan.nodes), m_.law_double_hidden, consecutive(0), m_.law_out);
  for (u32 gate = 0; gate < 2; ++gate) gates(law_rows(gate), LawOperands{m_.plan, gate});
}

// --- Backward ---

bool LogicPass::has_laws() const {
  return std::ranges::any_of(m_.law_scale, [](float scale) { return scale != 0.0F; });
}

void LogicPass::begin_backward() {
  launch_rows(stream_, lengths_kernel, std::size_t{m_.plan.nodes} + m_.plan.law_rows, m_);
}

void LogicPass::add_score_gradients(const float* d_scores) {
  launch_rows(stream_, score_gradients_kernel, m_.plan.root_nodes, m_, d_scores);
}

void LogicPass::add_root_gradients(const float* d_roots) {
  launch_rows(stream_, root_gradients_kernel, m_.plan.root_nodes, m_, d_roots);
}

template <class Operands>
void LogicPass::gates_backward(const GateRows& rows, const Operands& operands) {
  const Shape& s = m_.shape;
  const GateKind kind = s.kind[rows.gate];
  if (kind == GateKind::kProduct) {
    launch_rows(stream_, multiply_backward_kernel<Operands>, rows.rows, m_, rows, operands);
    return;
  }
  if (kind == GateKind::kLeftResidual) launch_rows(stream_, bound_backward_kernel, rows.rows, s, rows);
  product<true>(stream_, {rows.rows, s.columns[slot(rows.gate, false)], s.width},
                Rows{kind == GateKind::kLeftResidual ? rows.d_sum : rows.d_out, s.width}, m_.weights.out[rows.gate],
                s.width, HiddenGradient{s.gate_activation, rows.hidden, rows.d_left, s.gate_stride});
}

void LogicPass::negation_backward(u32 rows, NodeMap node, const float* d_out, const float* hidden, float* d_hidden) {
  const Shape& s = m_.shape;
  const HiddenGradient to = {s.negation_activation, hidden, d_hidden, s.negation};
  if (d_out != nullptr) {
    product<true>(stream_, {rows, s.negation, s.width}, Rows{const_cast<float*>(d_out), s.width},
                  m_.weights.negation_out, s.width, to);
  } else {
    product<true>(stream_, {rows, s.negation, s.width}, NodeGradientRows{m_, node}, m_.weights.negation_out, s.width,
                  to);
  }
}

void LogicPass::projections_backward(NodeMap node, u32 rows, bool with_users) {
  const Shape& s = m_.shape;
  product<true>(stream_, {rows, s.width, s.projections}, ProjectionGradientRows{m_, node, with_users},
                m_.weights.projection, s.projections, AddVectorGradient{m_, node, with_users});
}

// Everything that laws give, except to the nodes they are applied to, which gather it when their turn comes.
void LogicPass::laws_backward() {
  const u32 n = m_.plan.law_rows;
  launch_rows(stream_, laws_kernel, n + std::size_t{1}, m_);
  if (n == 0) return;
  negation_backward(n, {}, m_.d_law_out, m_.law_double_hidden, m_.d_law_double_hidden);
  for (u32 gate = 0; gate < 2; ++gate) gates_backward(law_rows(gate), LawOperands{m_.plan, gate});
  sum_constants();
  const NodeMap negations = consecutive(m_.plan.nodes);
  projections_backward(negations, n, false);
  negation_backward(n, negations, nullptr, m_.law_negation_hidden, m_.d_law_negation_hidden);
}

void LogicPass::sum_constants() {
  const Shape& s = m_.shape;
  const u32 n = m_.plan.law_rows;
  for (u32 gate = 0; gate < 2; ++gate) {
    const GateRows rows = law_rows(gate);
    const u32 columns = s.columns[slot(gate, false)];
    const bool product = s.kind[gate] == GateKind::kProduct;
    for (u32 number = 0; number < 2; ++number) {
      const float* sides = m_.law_sides + std::size_t{gate * 2 + number} * n * 2;
      float* to = m_.d_constants + std::size_t{(gate * 2 + number) * 2} * s.gate_stride;
      const std::size_t first = std::size_t{number} * n * s.gate_stride;
      sums_.begin(to, columns, 1, columns, false);
      sums_.add(n, sides, 2, (product ? rows.d_right : rows.d_left) + first, s.gate_stride);
      sums_.begin(to + s.gate_stride, columns, 1, columns, false);
      sums_.add(n, sides + 1, 2, rows.d_left + first, s.gate_stride);
      if (s.kind[gate] != GateKind::kLeftResidual || law_constant(gate, number) != kFalse) continue;
      sums_.begin(m_.d_constants + false_operand_at(s, gate), s.width, 1, s.width, false);
      sums_.add(n, sides + 1, 2, rows.d_sum + std::size_t{number} * n * s.width, s.width);
    }
  }
  sums_.begin(m_.d_constants + false_target_at(s), s.width, 1, s.width, false);
  sums_.add(n, nullptr, 0, m_.d_false, s.width);
  sums_.run(stream_);
}

void LogicPass::backward(const Weights* gradients) {
  const PlanView& plan = m_.plan;
  if (has_laws()) {
    if (plan.law_rows > 0) laws_forward();
    laws_backward();
  }
  if (chains_) {
    if (plan.law_rows > 0) projections_backward(consecutive(plan.first_gate), plan.gates, false);
    fold_backward();
  } else {
    for (std::size_t i = plan_->levels.size(); i-- > 0;) {
      const Plan::Level& level = plan_->levels[i];
      projections_backward(consecutive(level.begin), level.end - level.begin, true);
      gates_backward(level_rows(level), level_operands(level));
    }
  }
  const NodeMap variables = {kTrue, kFirstVariable};
  const NodeMap negations = {kFalse, plan.first_negation};
  projections_backward(negations, 1 + plan.negated, true);
  negation_backward(1 + plan.negated, negations, nullptr, m_.negation_hidden, m_.d_negation_hidden);
  projections_backward(variables, 1 + plan.variables, true);
  if (gradients != nullptr) parameter_gradients(*gradients);
}

void LogicPass::parameter_gradients(const Weights& gradients) {
  const Shape& s = m_.shape;
  const PlanView& plan = m_.plan;
  const u32 n = plan.law_rows;
  const u32 d = s.width;
  // Laws keep the projections of their own negations right behind those of the batch. The gates of chains have
  // gradients of projections for laws alone.
  const bool whole = !chains_ || n > 0;
  const u32 rows = whole ? plan.nodes + n : plan.first_gate;
  sums_.begin(gradients.projection, s.projections, d, s.projections, true);
  sums_.add(rows, m_.vectors, d, m_.d_projections, s.projections);
  sums_.run(stream_);
  if (chains_ && plan_->levels.size() > 1) {
    // The left operands of gates, except the first of each chain: F, which is among the rows above.
    const u32 at = slot(1, false);
    const u32 begin = plan_->levels[0].end - plan.first_gate;
    sums_.begin(gradients.projection + s.offset[at], s.projections, d, s.columns[at], true);
    sums_.add(plan.gates - begin, m_.vectors, d, m_.d_left + std::size_t{begin} * s.gate_stride, s.gate_stride,
              plan.left + begin);
    sums_.run(stream_);
  }
  for (u32 gate = 0; gate < 2; ++gate) {
    if (s.kind[gate] == GateKind::kProduct) continue;
    const GateRows laws = law_rows(gate);
    const u32 columns = s.columns[slot(gate, false)];
    const float* d_out =
        s.kind[gate] == GateKind::kLeftResidual ? m_.d_sum : static_cast<const float*>(m_.d_vector(plan.first_gate));
    const auto from_gates = [&](const float* x, u32 x_stride, const float* dy, u32 dy_stride, const float* law_x,
                                const float* law_dy) {
      const u32* list = gate_lists_[gate];
      sums_.add(gate_counts_[gate], x, x_stride, dy, dy_stride, list, list);
      if (n > 0) sums_.add(laws.rows, law_x, x_stride, law_dy, dy_stride);
    };
    sums_.begin(gradients.bias[gate], columns, 1, columns, true);
    from_gates(nullptr, 0, m_.d_left, s.gate_stride, nullptr, laws.d_left);
    sums_.begin(gradients.out[gate], d, columns, d, true);
    from_gates(m_.hidden, s.gate_stride, d_out, d, laws.hidden, laws.d_sum);
    if (gradients.out_bias[gate] == nullptr) continue;
    sums_.begin(gradients.out_bias[gate], d, 1, d, true);
    from_gates(nullptr, 0, d_out, d, nullptr, laws.d_sum);
  }
  const auto from_negations = [&](bool hidden, bool output) {
    const auto add = [&](u32 rows_of, const float* x, const float* d_hidden, const float* d_out,
                         const u32* d_out_rows) {
      sums_.add(rows_of, hidden ? x : nullptr, s.negation, output ? d_out : d_hidden, output ? d : s.negation, nullptr,
                output ? d_out_rows : nullptr);
    };
    add(1 + plan.negated, m_.negation_hidden, m_.d_negation_hidden, m_.d_vectors, negation_nodes_);
    if (n == 0) return;
    add(n, m_.law_negation_hidden, m_.d_law_negation_hidden, m_.d_vector(plan.nodes), nullptr);
    add(n, m_.law_double_hidden, m_.d_law_double_hidden, m_.d_law_out, nullptr);
  };
  sums_.begin(gradients.negation_bias, s.negation, 1, s.negation, true);
  from_negations(false, false);
  sums_.begin(gradients.negation_out, d, s.negation, d, true);
  from_negations(true, true);
  if (gradients.negation_out_bias != nullptr) {
    sums_.begin(gradients.negation_out_bias, d, 1, d, true);
    from_negations(false, true);
  }
  sums_.run(stream_);
}

}  // namespace linn::cuda
