#include "linn/equations/equation_task.h"

#include <cmath>

#include "linn/base/error.h"

namespace linn {

EquationTask::EquationTask(const NormalizedEquations& data) : data_(data) {
  if (data.train.forms.empty()) throw InputError("there are no equations to train on");
}

EpochScore EquationTask::validate() {
  const EquationMetrics metrics = evaluate();
  // Where a prediction is NaN the accuracy is still a number; the root of its squared error is not.
  return {score(metrics),
          std::isfinite(metrics.rmse) ? metrics.log_loss : metrics.rmse,
          {{"accuracy", {metrics.accuracy}}, {"rmse", {metrics.rmse}}, {"log_loss", {metrics.log_loss}}},
          metrics.accuracy};
}

}  // namespace linn
