// Training on equations as a task of the epoch loop. The best epoch has the highest accuracy on the validation data,
// unless a model overrides score().
#pragma once

#include <cmath>

#include "linn/base/error.h"
#include "linn/equations/equation_model.h"
#include "linn/metrics/equation_metrics.h"
#include "linn/train/epoch_loop.h"

namespace linn {

class EquationTask : public EpochTask {
 public:
  // The data must outlive the task. Throws InputError if there are no training equations.
  explicit EquationTask(const NormalizedEquations& data) : data_(data) {
    if (data.train.forms.empty()) throw InputError("there are no equations to train on");
  }

  std::size_t rows() const final { return data_.train.forms.size(); }

  EpochScore validate() final {
    const EquationMetrics metrics = evaluate();
    // A NaN among the predictions leaves the accuracy finite, but not the RMSE.
    return {score(metrics),
            std::isfinite(metrics.rmse) ? metrics.log_loss : metrics.rmse,
            {{"accuracy", {metrics.accuracy}}, {"rmse", {metrics.rmse}}, {"log_loss", {metrics.log_loss}}},
            metrics.accuracy};
  }

 protected:
  // The metrics on held_out().
  virtual EquationMetrics evaluate() = 0;
  // The score that selects the best epoch.
  virtual double score(const EquationMetrics& metrics) { return metrics.accuracy; }

  const NormalizedEquations& data() const { return data_; }
  // The validation data or, if there is none, the training data.
  const NormalizedEquations::Part& held_out() const {
    return data_.validation.forms.empty() ? data_.train : data_.validation;
  }

 private:
  const NormalizedEquations& data_;
};

}  // namespace linn
