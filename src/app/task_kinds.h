// The kinds of models of a task, "equations" or "recommend", whatever the task.
#pragma once

#include <string_view>
#include <vector>

#include "linn/train/model_kind.h"

namespace linn::app {

std::vector<const ModelKind*> model_kinds(std::string_view task);

// Throws InputError, suggesting the closest name.
const ModelKind& model_kind(std::string_view task, std::string_view name);

}  // namespace linn::app
