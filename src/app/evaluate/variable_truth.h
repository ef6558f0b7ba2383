// The true values of a model's variables, read from a file.
#pragma once

#include <filesystem>

#include "linn/data/equations.h"
#include "linn/logic/vocabulary.h"

namespace linn::app {

// One value per variable of the model; empty if the file does not have it. Throws InputError if it has none of them.
Truth read_truth_of(const Vocabulary& names, const std::filesystem::path& path);

}  // namespace linn::app
