// The models of a task ("equations" or "recommend") by name: what a search needs to know about them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace linn::app {

std::vector<std::string_view> model_names(std::string_view task);

// False also for a name that the task does not have.
bool trains_by_epochs(std::string_view task, std::string_view model);

// Whether a setting of the model takes only whole numbers. False for a setting that the model does not have.
bool is_whole_number(std::string_view task, std::string_view model, const std::string& setting);

// The ranges searched by default: learning rate, weight decay and dropout for all models trained by gradients, the
// weight of the laws for LINN. Throws InputError for a model without settings.
std::vector<std::string> default_ranges(std::string_view task, std::string_view model, std::string_view preset);

}  // namespace linn::app
