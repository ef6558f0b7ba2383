// Options of the commands that recommend and explain: a history, or a user.
#pragma once

#include <string>

#include "app/cli/program.h"
#include "app/evaluate/recommend_session.h"

namespace linn::app {

struct QueryOptions {
  std::string history;
  bool history_given = false;  // it may be given and empty
  std::string user;
  std::string data;  // the history of the user is looked up here
  UnknownItems unknown = UnknownItems::kRefuse;
};
void add_query_options(CLI::App& command, QueryOptions& options);

// Throws InputError if the options do not go together. Remarks on items that were skipped. `unknown_elsewhere`: a file
// of items may have unknown ones, too.
RecommendQuery make_query(const QueryOptions& options, const RecommendSession& session, const Program& program,
                          bool unknown_elsewhere = false);

}  // namespace linn::app
