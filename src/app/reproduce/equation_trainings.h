// The trainings on equations that experiments share.
#pragma once

#include <string_view>

#include "app/reproduce/experiment.h"

namespace linn::app {

Training equation_training(const ReproduceSetup& setup, std::string_view set, std::string_view model,
                           std::string_view preset);
// The exact reasoner.
Training exact_training(const ReproduceSetup& setup, std::string_view set);

// Generated equations over 1,000 variables with label noise in training, and 4,000 clean ones for testing.
Training noisy_training(const ReproduceSetup& setup, double noise, std::string_view model);

}  // namespace linn::app
