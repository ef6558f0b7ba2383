// The trainings of recommenders that experiments share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/reproduce/experiment.h"

namespace linn::app {

Training recommend_training(const ReproduceSetup& setup, std::string_view set, std::string_view model,
                            std::string_view preset, std::vector<std::string> settings = {});

// LINN with its default settings on generated users who follow hidden rules.
Training rules_training(const ReproduceSetup& setup);

}  // namespace linn::app
