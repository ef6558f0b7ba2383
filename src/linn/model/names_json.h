// A vocabulary in the metadata of a model file: a JSON list of names ordered by id.
#pragma once

#include <filesystem>
#include <string>

#include "linn/logic/vocabulary.h"

namespace linn {

std::string names_to_json(const Vocabulary& names);

// Throws InputError naming the file.
Vocabulary names_from_json(const std::string& text, const std::filesystem::path& path);

}  // namespace linn
