// Options of the commands that evaluate trained runs.
#pragma once

#include <vector>

#include "app/cli/program.h"
#include "app/evaluate/data_selection.h"
#include "app/evaluate/item_filter.h"
#include "app/evaluate/recommender_run.h"

namespace linn::app {

// --data and --split. `files` says that data may also be a single file of equations.
void add_data_options(CLI::App& command, DataSelection& selection, bool files);

// --candidates, --candidate-seed and --at.
std::vector<CLI::Option*> add_ranking_options(CLI::App& command, RankingProtocol& protocol);

// --exclude and --only.
std::vector<CLI::Option*> add_item_filter_options(CLI::App& command, ItemFilterFiles& files);

// Remarks on rows of the data that the model cannot use, if there are any.
void remark_left_out(std::size_t rows, std::size_t unknown_items, const Program& program);

}  // namespace linn::app
