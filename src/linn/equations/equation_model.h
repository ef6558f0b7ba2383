// What can say how true an expression is, whatever it was learned by: it is evaluated, queried, solved, saved and
// loaded in one way.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "linn/base/thread_pool.h"
#include "linn/logic/expression.h"
#include "linn/logic/normal_form.h"
#include "linn/model/logic_model.h"

namespace linn {

class EquationModel {
 public:
  virtual ~EquationModel() = default;

  // The names of the variables it was trained on.
  virtual const Vocabulary& names() const = 0;

  // How true each expression is, in [0, 1]. Throws InputError naming the first variable that the model does not know.
  virtual std::vector<float> probabilities(ExpressionPool& pool, std::span<const Expr> expressions,
                                           ThreadPool& threads) const = 0;

  // How true each of its variables is.
  virtual std::vector<float> variables(ThreadPool& threads) const;

  // The network with its vectors, for models that are one, and the first of an ensemble; null for the others.
  virtual const LogicModel* logic_model() const { return nullptr; }

  // `notes` go into the metadata of the file.
  virtual void save(const std::filesystem::path& path, const ModelNotes& notes) const = 0;
};

// Expressions as a network takes them: brought to the form, with the numbers that `names` gives their variables. Throws
// InputError naming the first variable that is not among them.
std::vector<NormalForm> network_forms(Form form, ExpressionPool& pool, std::span<const Expr> expressions,
                                      const Vocabulary& names);

// How true each network thinks expressions are, on the mean; chains fold from the left as written.
std::vector<float> mean_probabilities(std::span<const LogicModel* const> models, std::span<const NormalForm> forms,
                                      ThreadPool& threads);

// A file from which load_equation_model makes a LinnEquationModel.
void save_linn_models(std::span<const LogicModel* const> models, Form form, const std::filesystem::path& path,
                      ModelNotes notes);

// LINN: expressions in their normal form through the network, chains folded from the left as written. Of several
// networks over the same variables, the mean of what they say.
class LinnEquationModel : public EquationModel {
 public:
  LinnEquationModel(std::vector<LogicModel> models, Form form) : models_(std::move(models)), form_(form) {}

  const Vocabulary& names() const override { return models_[0].names; }
  std::vector<float> probabilities(ExpressionPool& pool, std::span<const Expr> expressions,
                                   ThreadPool& threads) const override;
  // Whether a variable is nearer to T than to F: Sim(v, T) / (Sim(v, T) + Sim(v, F)).
  std::vector<float> variables(ThreadPool& threads) const override;
  const LogicModel* logic_model() const override { return &models_[0]; }
  Form form() const { return form_; }
  void save(const std::filesystem::path& path, const ModelNotes& notes) const override;

 private:
  std::vector<LogicModel> models_;
  Form form_;
};

// The share of true labels, for every expression.
class MajorityModel : public EquationModel {
 public:
  MajorityModel(Vocabulary names, float share) : names_(std::move(names)), share_(share) {}

  const Vocabulary& names() const override { return names_; }
  std::vector<float> probabilities(ExpressionPool& pool, std::span<const Expr> expressions,
                                   ThreadPool& threads) const override;
  void save(const std::filesystem::path& path, const ModelNotes& notes) const override;

 private:
  Vocabulary names_;
  float share_;
};

// Assignments drawn by the Gibbs reasoner: an expression is as true as the share of them in which it holds.
class ExactModel : public EquationModel {
 public:
  ExactModel(Vocabulary names, std::vector<std::uint8_t> assignments, double noise)
      : names_(std::move(names)), assignments_(std::move(assignments)), noise_(noise) {}

  const Vocabulary& names() const override { return names_; }
  std::vector<float> probabilities(ExpressionPool& pool, std::span<const Expr> expressions,
                                   ThreadPool& threads) const override;
  void save(const std::filesystem::path& path, const ModelNotes& notes) const override;
  double noise() const { return noise_; }

 private:
  Vocabulary names_;
  std::vector<std::uint8_t> assignments_;  // a row of names_.size() bytes each
  double noise_;
};

// Reads any of them. Throws InputError.
std::unique_ptr<EquationModel> load_equation_model(const std::filesystem::path& path);

}  // namespace linn
