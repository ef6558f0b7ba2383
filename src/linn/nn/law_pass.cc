#include "linn/nn/law_pass.h"

#include <algorithm>
#include <cmath>

#include "linn/base/logistic.h"
#include "linn/kernels/elementwise.h"
#include "linn/kernels/matmul.h"
#include "linn/nn/activation.h"
#include "linn/nn/blocks.h"

namespace linn {
namespace {

void choose_sides(LawRows& rows, std::size_t most_lanes, Random* random) {
  rows.sides.assign(rows.nodes.size(), 0);
  if (random == nullptr) return;
  const std::size_t lanes = std::min(lanes_for(rows.nodes.size()), most_lanes);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const RowRange part = lane_rows(rows.nodes.size(), lane, lanes);
    for (std::size_t begin = part.begin; begin < part.end; begin += kBlockRows) {
      const auto bits = static_cast<std::uint16_t>(random->next() >> 48U);
      std::fill(rows.sides.begin() + static_cast<std::ptrdiff_t>(begin),
                rows.sides.begin() + static_cast<std::ptrdiff_t>(std::min(begin + kBlockRows, part.end)), bits);
    }
  }
}

// An operand of a gate in a law: its vector and projections, and where their gradients go.
struct Operand {
  RowSource vector;
  RowTarget d_vector;
  RowSource projection;  // the slot's part begins at slot_offset unless the operand has only the one part needed
  RowTarget d_projection;
  bool one_part = false;
};

// to += from, and in registers where all rows add to one.
void add_gradient(std::size_t rows, std::size_t columns, const float* from, const RowTarget& to) {
  if (to.data == nullptr) return;
  if (to.stride == 0) {
    add_rows(rows, columns, from, columns, to.data);
  } else {
    accumulate_rows(rows, columns, {from, columns}, to);
  }
}

class LawBlock {
 public:
  LawBlock(const ForwardMemory& m, GradientMemory& g, Lane& lane, GradientScratch& scratch, const LawRows& rows,
           std::size_t begin, std::size_t end)
      : m_(m),
        g_(g),
        net_(m.network),
        lane_(lane),
        s_(scratch),
        rows_(end - begin),
        weights_(rows.weights.data() + begin),
        sides_(rows.sides[begin]),
        nodes_(rows.nodes.data() + begin, end - begin),
        negations_(rows.negations.empty() ? nullptr : rows.negations.data() + begin),
        sampled_(m.regularizers->samples_laws()),
        w_(sampled_ ? projected_operand() : node_operand(nodes_.data())) {}

  void run() {
    if (sampled_) {
      project();
    } else {
      for (const std::uint32_t node : nodes_) std::fill_n(g_.d_projection(node), net_.projections(), 0.0F);
    }
    if (needs_not()) {
      if (negations_ == nullptr) make_not();
      negation_laws();
    }
    const Operand t = constant_operand(Plan::kTrue);
    const Operand f = constant_operand(Plan::kFalse);
    gate_law(Gate::kAnd, kAndIdentity, w_, t, w_);
    gate_law(Gate::kAnd, kAndAnnihilator, w_, f, f);
    gate_law(Gate::kAnd, kAndIdempotence, w_, w_, w_);
    gate_law(Gate::kAnd, kAndComplement, w_, not_operand(Gate::kAnd), f);
    gate_law(Gate::kOr, kOrIdentity, w_, f, w_);
    gate_law(Gate::kOr, kOrAnnihilator, w_, t, t);
    gate_law(Gate::kOr, kOrIdempotence, w_, w_, w_);
    gate_law(Gate::kOr, kOrComplement, w_, not_operand(Gate::kOr), t);
    if (needs_not() && negations_ == nullptr) not_backward();
    if (sampled_) project_backward();
  }

 private:
  float weight(Law law) const { return m_.regularizers->laws[law]; }
  bool active(Law law) const { return weight(law) != 0.0F; }
  bool swapped(Law law) const { return ((sides_ >> law) & 1U) != 0; }
  bool needs_not() const {
    return active(kNegation) || active(kDoubleNegation) || active(kAndComplement) || active(kOrComplement);
  }

  // In "w AND NOT(w)" the negation is the right operand unless the order is reversed.
  Slot not_slot(Gate gate) const {
    return slot_of(gate, !swapped(gate == Gate::kAnd ? kAndComplement : kOrComplement));
  }

  Operand node_operand(const std::uint32_t* nodes) const {
    const std::size_t d = net_.width();
    const std::size_t s = net_.projections();
    return {{m_.vectors.data(), d, nodes},
            {g_.d_vectors.data(), d, nodes},
            {m_.projections.data(), s, nodes},
            {g_.d_projections.data(), s, nodes}};
  }

  // The same, but projected here instead of in the forward pass.
  Operand projected_operand() const {
    Operand operand = node_operand(nodes_.data());
    operand.projection = {s_.law_projection.data(), net_.projections()};
    operand.d_projection = {s_.d_law_projection.data(), net_.projections()};
    return operand;
  }

  void project() {
    const std::size_t d = net_.width();
    const std::size_t s = net_.projections();
    copy_rows(rows_, d, w_.vector, {s_.gathered.data(), d});
    matmul({rows_, s, d}, by_rows(s_.gathered.data(), d), net_.projection(), s, s_.law_projection.data(), s);
    std::fill_n(s_.d_law_projection.data(), rows_ * s, 0.0F);
  }

  void project_backward() {
    const std::size_t d = net_.width();
    const std::size_t s = net_.projections();
    matmul({rows_, d, s}, by_rows(s_.d_law_projection.data(), s), net_.projection_transposed(), d, s_.product.data(),
           d);
    accumulate_rows(rows_, d, {s_.product.data(), d}, w_.d_vector);
    if (!g_.modules_learn) return;
    add_projection_products(net_, lane_.parameters, rows_, s_.gathered.data(), s_.d_law_projection.data());
  }

  Operand constant_operand(std::uint32_t node) const {
    return {{m_.vector(node), 0},
            {node == Plan::kFalse ? lane_.d_false.data() : nullptr, 0},
            {m_.projection(node), 0},
            {lane_.d_constants.data() + node * net_.projections(), 0}};
  }

  // NOT(w) is a node of the batch, or it is computed here with the three parts of its projection that laws need.
  enum Part : std::uint8_t { kForNot, kForAnd, kForOr };
  std::size_t part_offset(Part part) const {
    const std::size_t sizes[] = {0, net_.negation_hidden(), net_.negation_hidden() + net_.hidden(Gate::kAnd)};
    return sizes[part] * rows_;
  }
  std::size_t part_columns(Part part) const {
    return part == kForNot ? net_.negation_hidden() : net_.hidden(part == kForAnd ? Gate::kAnd : Gate::kOr);
  }
  float* part(Part p) const { return s_.not_projection.data() + part_offset(p); }
  float* d_part(Part p) const { return s_.d_not_projection.data() + part_offset(p); }
  std::size_t weight_offset(Part p) const {
    if (p == kForNot) return net_.negation_offset();
    return net_.slot_offset(not_slot(p == kForAnd ? Gate::kAnd : Gate::kOr));
  }
  bool part_active(Part p) const {
    return active(p == kForNot ? kDoubleNegation : p == kForAnd ? kAndComplement : kOrComplement);
  }

  Operand not_operand(Part p) const {
    if (negations_ != nullptr) {
      Operand operand = node_operand(negations_);
      if (p == kForNot) {
        operand.projection.data += net_.negation_offset();
        operand.d_projection.data += net_.negation_offset();
      }
      return operand;
    }
    const std::size_t d = net_.width();
    return {{s_.not_vector.data(), d},
            {s_.d_not.data(), d},
            {part(p), part_columns(p)},
            {d_part(p), part_columns(p)},
            true};
  }
  Operand not_operand(Gate gate) const { return not_operand(gate == Gate::kAnd ? kForAnd : kForOr); }

  void make_not() {
    const std::size_t d = net_.width();
    RowSource projection = w_.projection;
    projection.data += net_.negation_offset();
    add_activate(net_.options().negation.activation, rows_, net_.negation_hidden(), projection, {nullptr, 0},
                 net_.negation().bias_value, s_.not_hidden.data());
    const HeadInput input = {rows_, s_.not_hidden.data(), w_.vector, {}};
    net_.negation().head->forward(input, s_.not_vector.data(), s_.head.data());
    std::fill_n(s_.d_not.data(), rows_ * d, 0.0F);
    for (const Part p : {kForNot, kForAnd, kForOr}) {
      if (!part_active(p)) continue;
      matmul({rows_, part_columns(p), d}, by_rows(s_.not_vector.data(), d), net_.projection() + weight_offset(p),
             net_.projections(), part(p), part_columns(p));
      std::fill_n(d_part(p), rows_ * part_columns(p), 0.0F);
    }
  }

  // Back through the projections of NOT(w), and through NOT.
  void not_backward() {
    const std::size_t d = net_.width();
    for (const Part p : {kForNot, kForAnd, kForOr}) {
      if (!part_active(p)) continue;
      const std::size_t columns = part_columns(p);
      matmul({rows_, d, columns}, by_rows(d_part(p), columns), net_.projection_transposed() + weight_offset(p) * d, d,
             s_.d_not.data(), d, {.accumulate = true});
      if (!g_.modules_learn || columns == 0) continue;  // a gate may have no first layer
      const std::size_t weight =
          p == kForNot ? net_.negation().in : net_.projection_of(not_slot(p == kForAnd ? Gate::kAnd : Gate::kOr));
      lane_.parameters.add_product(weight, rows_, s_.not_vector.data(), d_part(p), columns);
    }
    HeadInput input = {rows_, s_.not_hidden.data(), w_.vector, {}};
    RowTarget d_negation = w_.d_projection;
    d_negation.data += net_.negation_offset();
    negation_backward(input, s_.d_not.data(), d_negation, w_.d_vector);
  }

  void negation_backward(const HeadInput& input, const float* d_output, const RowTarget& d_projection,
                         const RowTarget& d_operand) {
    const LogicNetwork::NegationModule& module = net_.negation();
    const std::size_t columns = net_.negation_hidden();
    module.head->backward(input, d_output, s_.d_hidden.data(), g_.parameter_gradients(lane_), {d_operand, {}},
                          s_.head.data());
    activation_backward(net_.options().negation.activation, rows_ * columns, input.hidden, s_.d_hidden.data());
    g_.add_bias_gradient(lane_, module.bias, rows_, columns, s_.d_hidden.data());
    add_gradient(rows_, columns, s_.d_hidden.data(), d_projection);
  }

  void negation_laws() {
    const Operand negation = not_operand(kForNot);
    if (active(kNegation)) compare(kNegation, negation.vector, negation.d_vector, true, w_.vector, w_.d_vector);
    if (!active(kDoubleNegation)) return;

    const std::size_t d = net_.width();
    const LogicNetwork::NegationModule& module = net_.negation();
    add_activate(net_.options().negation.activation, rows_, net_.negation_hidden(), negation.projection, {nullptr, 0},
                 module.bias_value, s_.not_not_hidden.data());
    const HeadInput input = {rows_, s_.not_not_hidden.data(), negation.vector, {}};
    module.head->forward(input, s_.output.data(), s_.head.data());
    compare(kDoubleNegation, {s_.output.data(), d}, {s_.output.data(), d}, false, w_.vector, w_.d_vector);
    negation_backward(input, s_.output.data(), negation.d_projection, negation.d_vector);
  }

  // gate(a, b) = target
  void gate_law(Gate kind, Law law, const Operand& a, const Operand& b, const Operand& target) {
    if (!active(law)) return;
    const Operand& left = swapped(law) ? b : a;
    const Operand& right = swapped(law) ? a : b;
    const auto source = [&](const Operand& operand, Slot slot) {
      RowSource rows = operand.projection;
      if (!operand.one_part) rows.data += net_.slot_offset(slot);
      return rows;
    };
    const auto sink = [&](const Operand& operand, Slot slot) {
      RowTarget rows = operand.d_projection;
      if (!operand.one_part) rows.data += net_.slot_offset(slot);
      return rows;
    };
    const Slot left_slot = slot_of(kind, false);
    const Slot right_slot = slot_of(kind, true);
    const std::size_t d = net_.width();
    const std::size_t h = net_.hidden(kind);
    const LogicNetwork::GateModule& module = net_.gate(kind);

    add_activate(net_.options().gate.activation, rows_, h, source(left, left_slot), source(right, right_slot),
                 module.bias_value, s_.hidden.data());
    const HeadInput input = {rows_, s_.hidden.data(), left.vector, right.vector};
    module.head->forward(input, s_.output.data(), s_.head.data());
    compare(law, {s_.output.data(), d}, {s_.output.data(), d}, false, target.vector, target.d_vector);
    module.head->backward(input, s_.output.data(), s_.d_hidden.data(), g_.parameter_gradients(lane_),
                          {left.d_vector, right.d_vector}, s_.head.data());
    activation_backward(net_.options().gate.activation, rows_ * h, s_.hidden.data(), s_.d_hidden.data());
    g_.add_bias_gradient(lane_, module.bias, rows_, h, s_.d_hidden.data());
    add_gradient(rows_, h, s_.d_hidden.data(), sink(left, left_slot));
    add_gradient(rows_, h, s_.d_hidden.data(), sink(right, right_slot));
  }

  // The value of a law is 1 - Sim(a, b), or Sim(a, b) where the two must differ. Leaves the gradients of a and b.
  void compare(Law law, const RowSource& a, const RowTarget& d_a, bool accumulate_a, const RowSource& b,
               const RowTarget& d_b) {
    const bool differ = law == kNegation;
    net_.law_similarity().score(rows_, a, b, s_.scores.data(), s_.similarity.data());
    double value = 0.0;
    for (std::size_t i = 0; i < rows_; ++i) {
      const float p = logistic(s_.scores[i]);
      value += static_cast<double>(weights_[i] * (differ ? p : 1.0F - p));
      s_.d_scores[i] = (differ ? weight(law) : -weight(law)) * weights_[i] * p * (1.0F - p);
    }
    lane_.laws[law] += value;
    net_.law_similarity().backward(rows_, a, b, s_.d_scores.data(), d_a, accumulate_a, d_b,
                                   g_.parameter_gradients(lane_), s_.similarity.data());
  }

  const ForwardMemory& m_;
  GradientMemory& g_;
  const LogicNetwork& net_;
  Lane& lane_;
  GradientScratch& s_;
  std::size_t rows_;
  const float* weights_;
  std::uint32_t sides_;
  std::span<const std::uint32_t> nodes_;
  const std::uint32_t* negations_;
  bool sampled_;  // then the block projects w itself
  Operand w_;
};

void run_blocks(const ForwardMemory& m, GradientMemory& g, const LawRows& rows) {
  for_each_block(m.pool, rows.nodes.size(),
                 [&](std::size_t lane, std::size_t thread, std::size_t begin, std::size_t end) {
                   LawBlock(m, g, g.lanes[lane], g.scratch[thread], rows, begin, end).run();
                 });
}

}  // namespace

void choose_law_rows(const Plan& plan, const RegularizerOptions& options, std::size_t most_lanes, Random* random,
                     LawRows& negated, LawRows& other) {
  const bool sampled = options.samples_laws();
  const bool all = !sampled || random == nullptr;
  negated.clear();
  other.clear();
  for (std::uint32_t node = Plan::kFirstVariable; node < plan.size(); ++node) {
    float weight = options.weight(plan.occurrences[node]) * plan.share(node);
    if (weight == 0.0F) continue;
    if (!all) {
      if (!random->chance(static_cast<double>(options.law_share))) continue;
      weight /= options.law_share;
    }
    if (node < Plan::kFirstVariable + plan.negated && !sampled) {
      negated.add(node, weight);
      negated.negations.push_back(plan.first_negation() + (node - Plan::kFirstVariable));
    } else {
      other.add(node, weight);
    }
  }
  choose_sides(negated, most_lanes, random);
  choose_sides(other, most_lanes, random);
}

void law_pass(const ForwardMemory& m, GradientMemory& g) {
  // The second kind adds to the gradients of negations, which are vectors of the first kind and finished by then.
  run_blocks(m, g, g.other_law_rows);
  run_blocks(m, g, g.negated_law_rows);
}

}  // namespace linn
