// LINN as a model of equations: expressions in their normal form through the network, chains folded from the left as
// written. An ensemble answers with the mean of its members.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "linn/equations/equation_model.h"

namespace linn {

// How true each network thinks expressions are, on the mean.
std::vector<float> mean_probabilities(std::span<const LogicModel* const> models, std::span<const NormalForm> forms,
                                      ThreadPool& threads);

// A file from which load() makes a LinnEquationModel.
void add_linn_models(SafetensorsWriter& out, const Vocabulary& names, std::span<const LogicModel* const> models,
                     Form form);

class LinnEquationModel : public NetworkEquationModel {
 public:
  LinnEquationModel(LogicEnsemble networks, Form form) : networks_(std::move(networks)), form_(form) {}
  // Throws InputError where the file does not fit.
  static LinnEquationModel load(const SafetensorsFile& in);

  using EquationModel::probabilities;
  const Vocabulary& names() const override { return networks_.names; }
  Form form() const override { return form_; }
  std::vector<float> probabilities(std::span<const NormalForm> forms, ThreadPool& threads) const override;
  // Whether a variable is nearer to T than to F: Sim(v, T) / (Sim(v, T) + Sim(v, F)).
  std::vector<float> variables(ThreadPool& threads) const override;
  const LogicModel* logic_model() const override { return &networks_.members[0]; }
  void write(SafetensorsWriter& out) const override;

 private:
  std::vector<const LogicModel*> members() const;

  LogicEnsemble networks_;
  Form form_;
};

}  // namespace linn
