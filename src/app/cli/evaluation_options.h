// Options of the commands that evaluate trained runs.
#pragma once

#include <vector>

#include "app/cli/program.h"
#include "app/evaluate/data_selection.h"
#include "app/evaluate/item_files.h"
#include "app/evaluate/recommender_run.h"

namespace linn::app {

// --data and --split. `files` says that data may also be a single file of equations.
void add_data_options(CLI::App& command, DataSelection& selection, bool files);

// --candidates, --candidate-seed and --at.
std::vector<CLI::Option*> add_ranking_options(CLI::App& command, RankingProtocol& protocol);

// --exclude and --only.
std::vector<CLI::Option*> add_item_file_options(CLI::App& command, ItemFiles& files);
// --unknown.
CLI::Option* add_unknown_option(CLI::App& command, UnknownItems& unknown, const char* help);

// Remarks on items of these files that the model does not know, if there are any.
void remark_skipped_items(std::size_t skipped, const Program& program);

// Remarks on rows of the data that the model cannot use, if there are any.
void remark_left_out(std::size_t rows, std::size_t unknown_items, const Program& program);

}  // namespace linn::app
