#include <algorithm>
#include <numeric>

#include "linn/cuda/logic_pass.h"

namespace linn::cuda {

void PlanUpload::add(const Plan& plan, const RegularizerOptions* regularizers, const LawRows* negated,
                     const LawRows* other, Staging& staging) {
  view_ = {};
  view_.nodes = plan.size();
  view_.variables = static_cast<u32>(plan.variables.size());
  view_.negated = plan.negated;
  view_.first_negation = plan.first_negation();
  view_.first_gate = plan.first_gate();
  view_.gates = static_cast<u32>(plan.left.size());
  variable_rows_at_ = staging.add(plan.variables);
  left_at_ = staging.add(plan.left);
  right_at_ = staging.add(plan.right);
  find_roots(plan);
  root_node_at_ = staging.add(root_node_);
  root_of_at_ = staging.add(root_of_);
  find_chains(plan);
  chain_starts_at_ = staging.add(chain_starts_);
  chain_gates_at_ = staging.add(chain_gates_);
  if (regularizers == nullptr) return;

  use_starts_at_ = staging.add(plan.use_starts);
  users_at_ = staging.add(plan.users);
  root_starts_at_ = staging.add(root_starts_);
  root_items_at_ = staging.add(root_items_);
  counts_.assign(plan.size(), 0.0F);
  for (u32 node = kFirstVariable; node < plan.size(); ++node) {
    counts_[node] = regularizers->weight(plan.occurrences[node]);
  }
  counts_at_ = staging.add(counts_);
  for (std::vector<u32>& list : gate_lists_) list.clear();
  for (const Plan::Level& level : plan.levels) {
    std::vector<u32>& list = gate_lists_[level.gate == Gate::kOr ? 1 : 0];
    for (u32 node = level.begin; node < level.end; ++node) list.push_back(node - plan.first_gate());
  }
  for (u32 gate = 0; gate < 2; ++gate) gate_lists_at_[gate] = staging.add(gate_lists_[gate]);
  negation_nodes_.resize(plan.negated + 1);
  negation_nodes_[0] = kFalse;
  std::iota(negation_nodes_.begin() + 1, negation_nodes_.end(), plan.first_negation());
  negation_nodes_at_ = staging.add(negation_nodes_);

  law_nodes_.clear();
  law_weights_.clear();
  law_sides_.clear();
  if (negated != nullptr) {
    for (const LawRows* rows : {other, negated}) {
      law_nodes_.insert(law_nodes_.end(), rows->nodes.begin(), rows->nodes.end());
      law_weights_.insert(law_weights_.end(), rows->weights.begin(), rows->weights.end());
      law_sides_.insert(law_sides_.end(), rows->sides.begin(), rows->sides.end());
    }
  }
  view_.law_rows = static_cast<u32>(law_nodes_.size());
  law_row_.assign(view_.law_rows > 0 ? plan.size() : 0, kNone);
  for (u32 r = 0; r < law_nodes_.size(); ++r) law_row_[law_nodes_[r]] = r;
  law_row_at_ = staging.add(law_row_);
  law_nodes_at_ = staging.add(law_nodes_);
  law_sides_at_ = staging.add(law_sides_);
  law_weights_at_ = staging.add(law_weights_);
}

// The distinct roots, ascending, and the expressions of each.
void PlanUpload::find_roots(const Plan& plan) {
  root_place_.assign(plan.size(), 0);
  for (const u32 root : plan.roots) ++root_place_[root];
  root_node_.clear();
  root_starts_.assign(1, 0);
  for (u32 node = 0; node < plan.size(); ++node) {
    if (root_place_[node] == 0) continue;
    root_starts_.push_back(root_starts_.back() + root_place_[node]);
    root_place_[node] = static_cast<u32>(root_node_.size());
    root_node_.push_back(node);
  }
  root_of_.resize(plan.roots.size());
  root_items_.resize(plan.roots.size());
  std::vector<u32>& fill = chain_fill_;
  fill.assign(root_starts_.begin(), root_starts_.end());
  for (u32 i = 0; i < plan.roots.size(); ++i) {
    root_of_[i] = root_place_[plan.roots[i]];
    root_items_[fill[root_of_[i]]++] = i;
  }
  view_.roots = static_cast<u32>(plan.roots.size());
  view_.root_nodes = static_cast<u32>(root_node_.size());
}

void PlanUpload::find_chains(const Plan& plan) {
  chains_ = 0;
  chain_starts_.clear();
  chain_gates_.clear();
  if (std::ranges::any_of(plan.levels, [](const Plan::Level& level) { return level.gate != Gate::kOr; })) return;
  const u32 gates = static_cast<u32>(plan.left.size());
  const u32 first = plan.first_gate();
  chain_of_.resize(gates);
  std::vector<u32>& ends = chain_fill_;  // the last gate of each chain so far
  ends.clear();
  chain_starts_.assign(1, 0);
  for (u32 gate = 0; gate < gates; ++gate) {
    if (plan.right[gate] >= first) return;
    if (plan.left[gate] == kFalse) {
      chain_of_[gate] = static_cast<u32>(ends.size());
      ends.push_back(gate);
      chain_starts_.push_back(0);
    } else {
      if (plan.left[gate] < first) return;
      const u32 before = plan.left[gate] - first;
      chain_of_[gate] = chain_of_[before];
      if (ends[chain_of_[gate]] != before) return;  // two gates go on from one
      ends[chain_of_[gate]] = gate;
    }
    ++chain_starts_[chain_of_[gate] + 1];
  }
  std::partial_sum(chain_starts_.begin(), chain_starts_.end(), chain_starts_.begin());
  std::vector<u32>& fill = chain_fill_;
  chains_ = static_cast<u32>(chain_starts_.size() - 1);
  fill.assign(chain_starts_.begin(), chain_starts_.end());
  chain_gates_.resize(gates);
  for (u32 gate = 0; gate < gates; ++gate) chain_gates_[fill[chain_of_[gate]]++] = gate;
}

PlanView PlanUpload::view(const Staging& staging) const {
  PlanView view = view_;
  view.variable_rows = staging.at<u32>(variable_rows_at_);
  view.left = staging.at<u32>(left_at_);
  view.right = staging.at<u32>(right_at_);
  view.use_starts = staging.at<u32>(use_starts_at_);
  view.users = staging.at<u32>(users_at_);
  view.counts = staging.at<float>(counts_at_);
  view.law_row = staging.at<u32>(law_row_at_);
  view.law_nodes = staging.at<u32>(law_nodes_at_);
  view.law_sides = staging.at<u32>(law_sides_at_);
  view.law_weights = staging.at<float>(law_weights_at_);
  view.root_node = staging.at<u32>(root_node_at_);
  view.root_starts = staging.at<u32>(root_starts_at_);
  view.root_items = staging.at<u32>(root_items_at_);
  view.root_of = staging.at<u32>(root_of_at_);
  return view;
}

}  // namespace linn::cuda
