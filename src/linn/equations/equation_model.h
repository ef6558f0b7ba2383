// A model that says how true expressions are, whatever it learned from: all are evaluated, queried, solved and saved in
// one way.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "linn/base/thread_pool.h"
#include "linn/logic/expression.h"
#include "linn/logic/normal_form.h"
#include "linn/model/logic_model.h"
#include "linn/model/safetensors.h"

namespace linn {

// Immutable: any number of threads may ask one model at once, each call with a thread pool of its own.
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

  // The network with its vectors, and the first of an ensemble; null for models that are none.
  virtual const LogicModel* logic_model() const { return nullptr; }

  // All of its file. The writer keeps views: the model must stay until it has written.
  virtual void write(SafetensorsWriter& out) const = 0;
};

// A network, which reads expressions in a normal form.
class NetworkEquationModel : public EquationModel {
 public:
  virtual Form form() const = 0;
  // The same for expressions that are in the model's form, with its numbers of the variables.
  virtual std::vector<float> probabilities(std::span<const NormalForm> forms, ThreadPool& threads) const = 0;

  std::vector<float> probabilities(ExpressionPool& pool, std::span<const Expr> expressions,
                                   ThreadPool& threads) const final;
};

// Expressions in the form that a network reads, with the numbers that `names` gives their variables. Throws InputError
// naming the first variable that is not among them, and where an expression has no normal form of reasonable size.
std::vector<NormalForm> network_forms(Form form, ExpressionPool& pool, std::span<const Expr> expressions,
                                      const Vocabulary& names);

// The model's number of every variable of the pool that the expressions hold. Throws InputError for an unknown one.
std::vector<std::optional<VariableId>> known_variables(const ExpressionPool& pool, std::span<const Expr> expressions,
                                                       const Vocabulary& names);

// Keys in the metadata of the model files.
inline constexpr const char* kEquationModelKey = "model";
inline constexpr const char* kVocabularyKey = "vocabulary";

}  // namespace linn
