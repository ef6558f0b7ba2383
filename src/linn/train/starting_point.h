// A trained model that a training starts from instead of random values.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "linn/base/settings.h"
#include "linn/logic/vocabulary.h"
#include "linn/model/safetensors.h"
#include "linn/train/epoch_loop.h"

namespace linn {

// How many users, items or variables the model knows, and how many it will know: so tables of their vectors grow. New
// rows come after the old ones and keep their initial values.
struct TableGrowth {
  std::size_t before = 0;
  std::size_t after = 0;
};

// Throws InputError unless `after` begins with the names of `before`, which are those of the model; `data` names their
// source.
TableGrowth growth_of(const Vocabulary& before, const Vocabulary& after, const std::string& data);

// What identifies the data of a run: their checksum and, if it starts from a model, that of the model.
std::string with_base(std::string data_checksum, const SafetensorsFile* base);

// Throws InputError if the changed settings describe a model of another structure: only what a training reads may
// change.
void check_continued(const Settings& base, const Settings& changed);

// Throws InputError unless the model is of the kind and all its values are finite.
void check_base(const SafetensorsFile& base, std::string_view kind);

// Throws InputError if a share of earlier examples is asked for that cannot be there.
void check_replay(const Settings& settings, const SafetensorsFile* base);

struct StartingPoint {
  std::shared_ptr<const SafetensorsFile> model;
  std::vector<TableGrowth> growth;
};

// Gives an initialized task the values of the model. Throws InputError if a tensor has another shape than the task's,
// except for the rows by which tables grow.
void start_from(const StartingPoint& start, EpochTask& task);

}  // namespace linn
