#include "app/cli/query_options.h"

#include <fmt/format.h>

#include "app/cli/evaluation_options.h"
#include "linn/base/error.h"

namespace linn::app {

void add_query_options(CLI::App& command, QueryOptions& options) {
  CLI::Option* history =
      command
          .add_option("--history", options.history,
                      "Likes and dislikes, oldest first, such as \"+50,-181\"; items by identifier or title, in double "
                      "quotes if the title contains a comma; empty: a new user")
          ->type_name("HISTORY");
  command.parse_complete_callback([history, &options] { options.history_given = history->count() > 0; });
  command.add_option("--user", options.user, "A user; without --history, the history is looked up in the data")
      ->type_name("USER");
  command
      .add_option("--data", options.data, "With --user: data to use instead of the data that the run was trained on")
      ->type_name("DIR");
  add_unknown_option(command, options.unknown, "How to treat items that the model does not know");
}

RecommendQuery make_query(const QueryOptions& options, const RecommendSession& session, const Program& program,
                          bool unknown_elsewhere) {
  if (!options.history_given) {
    if (options.user.empty()) throw InputError("--history or --user is required");
    if (options.unknown != UnknownItems::kRefuse && !unknown_elsewhere) {
      throw InputError("--unknown applies only to items of --history");
    }
    return session.user_query(options.user, options.data);
  }
  if (!options.data.empty()) throw InputError("--data applies only to --user without --history");
  RecommendQuery query = session.parse_query(options.history, options.user, options.unknown);
  if (!query.skipped.empty() && !program.quiet) {
    fmt::print(stderr, "linn: skipped items that the model does not know: '{}'\n", fmt::join(query.skipped, "', '"));
  }
  return query;
}

}  // namespace linn::app
