// LINN as a model for equations: evaluates expressions in normal form, folding chains from the left in the order as
// written. An ensemble predicts the mean of its members.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "linn/embed/k_means.h"
#include "linn/equations/equation_model.h"
#include "linn/train/training_device.h"

namespace linn {

// The mean over the networks of the truth of each expression.
std::vector<float> mean_probabilities(std::span<const LogicModel* const> models, std::span<const NormalForm> forms,
                                      ThreadPool& threads, TrainingDevice* device = nullptr);

// Writes a file for LinnEquationModel::load().
void add_linn_models(SafetensorsWriter& out, const Vocabulary& names, std::span<const LogicModel* const> models,
                     Form form);

class LinnEquationModel : public NetworkEquationModel {
 public:
  LinnEquationModel(LogicEnsemble networks, Form form) : networks_(std::move(networks)), form_(form) {}
  // Throws InputError if the file does not match.
  static LinnEquationModel load(const SafetensorsFile& in);

  using EquationModel::probabilities;
  const Vocabulary& names() const override { return networks_.names; }
  Form form() const override { return form_; }
  std::vector<float> probabilities(std::span<const NormalForm> forms, ThreadPool& threads) const override;
  void use_device(TrainingDevice* device) override { device_ = device; }
  // Sim(v, T) / (Sim(v, T) + Sim(v, F)): above 1/2 if the variable is closer to T than to F.
  std::vector<float> variables(ThreadPool& threads) const override;
  const LogicModel* logic_model() const override { return &networks_.members[0]; }
  void write(SafetensorsWriter& out) const override;

  // The networks whose answers are averaged.
  std::vector<const LogicModel*> members() const;

 private:
  LogicEnsemble networks_;
  Form form_;
  TrainingDevice* device_ = nullptr;
};

// Solves for the variables as the paper does: clusters their vectors into two, of which the one with the larger mean of
// Sim(v, T) is the true one. A variable at distances t and f from the centres of the true and the false cluster is true
// to the degree f / (t + f).
std::vector<float> solve_by_clusters(const LogicModel& model, ClusterDistance distance, std::uint64_t seed);

}  // namespace linn
