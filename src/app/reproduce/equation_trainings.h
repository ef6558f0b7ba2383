// The trainings on equations that tables and figures share.
#pragma once

#include <string_view>

#include "app/reproduce/experiment.h"

namespace linn::app {

Training equation_training(const ReproduceSetup& setup, std::string_view set, std::string_view model,
                           std::string_view preset);
// The exact answer by sampling.
Training exact_training(const ReproduceSetup& setup, std::string_view set);

// Equations over 1,000 variables of which a share of the training labels is flipped, and 4,000 to be tested on.
Training noisy_training(const ReproduceSetup& setup, double noise, std::string_view model);

}  // namespace linn::app
