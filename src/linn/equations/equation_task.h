// Learning equations, as a task of the epoch loop: the best epoch has the highest accuracy on the validation data, unless
// a model says otherwise.
#pragma once

#include "linn/equations/equation_kind.h"
#include "linn/metrics/equation_metrics.h"
#include "linn/train/epoch_loop.h"

namespace linn {

class EquationTask : public EpochTask {
 public:
  // The data must outlive it. Throws InputError where there is nothing to train on.
  explicit EquationTask(const NormalizedEquations& data);

  std::size_t rows() const final { return data_.train.forms.size(); }
  EpochScore validate() final;

  // On held_out().
  virtual EquationMetrics evaluate() = 0;
  // By which the best epoch is chosen.
  virtual double score(const EquationMetrics& metrics) { return metrics.accuracy; }

 protected:
  const NormalizedEquations& data() const { return data_; }
  // The validation data or, if there is none, the training data.
  const NormalizedEquations::Part& held_out() const {
    return data_.validation.forms.empty() ? data_.train : data_.validation;
  }

 private:
  const NormalizedEquations& data_;
};

}  // namespace linn
