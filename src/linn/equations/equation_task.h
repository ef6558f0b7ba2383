// Training on equations as a task of the epoch loop. The best epoch has the highest accuracy on the validation data,
// unless a model overrides score().
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "linn/base/error.h"
#include "linn/equations/equation_model.h"
#include "linn/metrics/equation_metrics.h"
#include "linn/train/epoch_loop.h"
#include "linn/train/replay.h"

namespace linn {

class EquationTask : public EpochTask {
 public:
  // The data must outlive the task. `replay`: the share of the earlier equations in each epoch, if there are some and
  // later ones. Throws InputError if there are no training equations.
  EquationTask(const NormalizedEquations& data, double replay) : data_(data) {
    if (data.train.forms.empty()) throw InputError("there are no equations to train on");
    if (data.earlier == 0 || data.earlier == rows()) return;
    std::vector<std::uint32_t> all = all_rows();
    const auto later = all.begin() + static_cast<std::ptrdiff_t>(data.earlier);
    replay_.emplace(std::vector(all.begin(), later), std::vector(later, all.end()), replay);
  }

  std::size_t rows() const final { return data_.train.forms.size(); }
  std::vector<std::uint32_t> epoch_rows(Random& random) final { return replay_ ? replay_->draw(random) : all_rows(); }

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
  std::optional<Replay> replay_;
};

}  // namespace linn
