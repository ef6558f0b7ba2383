// linn explain: which past items argue for or against an item.
#include <fmt/format.h>

#include <memory>

#include "app/cli/query_options.h"
#include "app/evaluate/recommend_answer.h"
#include "linn/base/error.h"

namespace linn::app {
namespace {

struct Explain {
  std::string run;
  QueryOptions query;
  std::string item;
  std::size_t threads = 0;
};

void print_explanation(const RecommendSession& session, const Explanation& explanation) {
  fmt::print("{}  {}\n", session.score_text(explanation.score), session.long_name(explanation.item));
  std::string words = session.words(explanation);
  if (words.empty()) {
    words = "Nothing in this history argues for it";
  } else if (session.scores_truths() && explanation.score < 0.0F) {  // rather not liked
    constexpr std::string_view kBecause = "Because ";
    words = "Little speaks for it; most of all, that " + words.substr(kBecause.size());
  }
  fmt::print("{}.\n", words);
  if (explanation.reasons.empty()) return;
  fmt::print("\n{:<8} {:<9} {:>7} {:>8}  {}\n", "argues", "you", "weight", "effect", "item");
  for (const Reason& reason : explanation.reasons) {
    const Argues way = argues(reason, explanation.scale());
    fmt::print("{:<8} {:<9} {:>7} {:>+8.4f}  {}\n",
               way == Argues::kFor       ? "for"
               : way == Argues::kAgainst ? "against"
                                         : "-",
               reason.event.liked ? "liked" : "disliked", reason.weight ? fmt::format("{:.4f}", *reason.weight) : "-",
               reason.effect, session.long_name(reason.event.item));
  }
}

void run(const Explain& options, const Program& program) {
  RecommendSession session(options.run, options.threads);
  const RecommendQuery query = make_query(options.query, session, program);
  const auto item = session.finder().find(options.item);
  if (!item) throw InputError(session.finder().unknown(options.item));
  const Explanation explanation = explain_item(session, query, *item, session.threads());
  if (!program.json) {
    print_explanation(session, explanation);
    return;
  }
  print_json(to_json(session, query, explanation));
}

}  // namespace

void add_explain_command(CLI::App& app, Program& program) {
  CLI::App* command = app.add_subcommand("explain", "Show which past items argue for or against an item");
  auto options = std::make_shared<Explain>();
  add_run_argument(*command, options->run);
  add_query_options(*command, options->query);
  command->add_option("--item", options->item, "The item, by identifier or title")->type_name("ITEM")->required();
  add_threads_option(*command, options->threads);
  add_quiet_option(*command, program);
  add_json_option(*command, program);
  run_if_chosen(*command, program, [options, &program] { run(*options, program); });
}

}  // namespace linn::app
