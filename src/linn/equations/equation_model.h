// The interface of all models that predict the truth of expressions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linn/base/thread_pool.h"
#include "linn/data/equations.h"
#include "linn/logic/expression.h"
#include "linn/logic/normal_form.h"
#include "linn/model/logic_model.h"
#include "linn/model/safetensors.h"

namespace linn {

class TrainingDevice;

// Immutable: any number of threads may use one model at once, each with a thread pool of its own.
class EquationModel {
 public:
  virtual ~EquationModel() = default;

  // The names of the variables that the model was trained on.
  virtual const Vocabulary& names() const = 0;

  // The probability that each expression is true. Throws InputError for an unknown variable.
  virtual std::vector<float> probabilities(ExpressionPool& pool, std::span<const Expr> expressions,
                                           ThreadPool& threads) const = 0;

  // The probability that each variable of the model is true.
  virtual std::vector<float> variables(ThreadPool& threads) const;

  // From now on, probabilities() computes on this device (null: the CPU), which must outlive its use. Throws InputError
  // for a model that cannot.
  virtual void use_device(TrainingDevice* device);

  // The network and its vectors, the first ones of an ensemble; null for other kinds of models.
  virtual const LogicModel* logic_model() const { return nullptr; }

  // Writes everything that loading needs. The writer keeps views of the model.
  virtual void write(SafetensorsWriter& out) const = 0;
};

// A network, which reads expressions in normal form.
class NetworkEquationModel : public EquationModel {
 public:
  virtual Form form() const = 0;
  // The same for expressions that are already in form() and use the model's numbers of the variables.
  virtual std::vector<float> probabilities(std::span<const NormalForm> forms, ThreadPool& threads) const = 0;

  std::vector<float> probabilities(ExpressionPool& pool, std::span<const Expr> expressions,
                                   ThreadPool& threads) const final;
};

// Normalizes expressions for a network, renumbering their variables according to `names`. Throws InputError for a
// variable that is not in `names`, and for an expression without a normal form of reasonable size.
std::vector<NormalForm> network_forms(Form form, ExpressionPool& pool, std::span<const Expr> expressions,
                                      const Vocabulary& names);

// The truths as they are; throws Failure if one is not finite, as those of damaged or diverged weights may be.
std::vector<float> require_finite(std::vector<float> truths);

// The number of a variable in `names`. Throws InputError for an unknown name, suggesting the most similar one.
VariableId find_variable(const Vocabulary& names, const std::string& name);

// Parses a question to a model. Throws InputError with the column for a syntax error and for a variable that is not in
// `names`, and for an expression that would take memory out of all proportion.
Expr parse_question(ExpressionPool& pool, std::string_view text, const Vocabulary& names);

// For every variable of the pool, its number in `names` if it occurs in the expressions. Throws InputError for an
// unknown variable.
std::vector<std::optional<VariableId>> known_variables(const ExpressionPool& pool, std::span<const Expr> expressions,
                                                       const Vocabulary& names);

// A data set, normalized once for a network. The data must outlive it.
struct NormalizedEquations {
  struct Part {
    std::vector<NormalForm> forms;
    std::span<const float> labels;
  };

  // Throws InputError if an expression has no normal form of reasonable size.
  NormalizedEquations(EquationData& data, Form form);

  const Vocabulary& names;
  Form form;
  Part train, validation, test;
  std::size_t earlier;  // see EquationData
};

// Metadata keys of model files.
inline constexpr const char* kEquationModelKey = "model";
inline constexpr const char* kVocabularyKey = "vocabulary";

}  // namespace linn
