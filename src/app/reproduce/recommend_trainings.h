// The trainings of recommenders that tables and figures share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/reproduce/experiment.h"

namespace linn::app {

Training recommend_training(const ReproduceSetup& setup, std::string_view set, std::string_view model,
                            std::string_view preset, std::vector<std::string> settings = {});

// Users who follow hidden rules, and LINN with its default settings.
Training rules_training(const ReproduceSetup& setup);

}  // namespace linn::app
