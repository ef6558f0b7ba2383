// linn recommend: the best items for a history, or for every history of a file.
#include <fmt/format.h>

#include <memory>

#include "app/cli/evaluation_options.h"
#include "app/cli/line_answers.h"
#include "app/cli/query_options.h"
#include "app/evaluate/recommend_answer.h"
#include "linn/base/error.h"
#include "linn/base/utf8.h"

namespace linn::app {
namespace {

struct Recommend {
  std::string run;
  QueryOptions query;
  AnswerOptions answers;
  std::size_t top = 10;
  ItemFiles items;
  bool explain = false;
  bool include_seen = false;
  std::size_t threads = 0;
};

void print_items(const RecommendSession& session, const RecommendedItems& result) {
  if (result.items.empty()) fmt::print("nothing is left to recommend\n");
  for (std::size_t i = 0; i < result.items.size(); ++i) {
    fmt::print("{:>3}  {}  {}\n", i + 1, session.score_text(result.items[i].score),
               session.long_name(result.items[i].item));
    if (result.explanations.empty()) continue;
    const std::string words = session.words(result.explanations[i]);
    if (!words.empty()) fmt::print("     {}\n", words);
  }
}

// A field of a tab-separated file has no tabs and no line ends.
std::string tab_field(std::string text) {
  for (char& c : text) {
    if (c == '\t' || c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

constexpr std::string_view kTableHeader = "line\tuser\trank\titem\ttitle\tscore";

std::string table_lines(const RecommendSession& session, const RecommendedItems& result, std::size_t line) {
  std::string text;
  for (std::size_t i = 0; i < result.items.size(); ++i) {
    const auto& [item, score] = result.items[i];
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{:.6g}", line, tab_field(result.query.user_name), i + 1,
                        session.catalogue().items.name(item), tab_field(std::string(session.catalogue().title(item))),
                        score);
    if (!result.explanations.empty()) text += "\t" + tab_field(session.words(result.explanations[i]));
    text += '\n';
  }
  return text;
}

// A line holds a history, or a user, a tab and a history.
RecommendQuery read_line(const RecommendSession& session, std::string_view line, UnknownItems unknown) {
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos) return session.parse_query(line, "", unknown);
  try {
    return session.parse_query(line.substr(tab + 1), line.substr(0, tab), unknown);
  } catch (const InputError& error) {
    Place place = error.place();
    if (place.column > 0) place.column += count_characters(line.substr(0, tab + 1));
    throw InputError(error.message(), place, std::string(line));
  }
}

void recommend_for_file(const Recommend& options, RecommendSession& session, const TopItemsOptions& top,
                        const Program& program) {
  session.model().prepare_for_queries(session.threads());  // computes once what the requests share
  const RecommendSession& asked = session;
  AnswerWriter out(options.answers, program, fmt::format("{}{}", kTableHeader, options.explain ? "\twords" : ""));
  const bool explained = options.explain || out.json();
  std::size_t skipped = 0;
  std::vector<RecommendedItems> results;
  for_each_block_of_lines(options.answers.file, [&](std::span<const std::string> lines, std::size_t first) {
    results.resize(lines.size());
    // One history per thread at a time: more of them are independent than of the work for one.
    session.threads().run(lines.size(), [&](std::size_t i, std::size_t) {
      ThreadPool alone(1);
      try {
        results[i] = recommend(asked, read_line(asked, lines[i], options.query.unknown), top, explained, alone);
      } catch (const InputError& error) {
        throw error.in_file(options.answers.file, first + i);
      }
    });
    for (std::size_t i = 0; i < lines.size(); ++i) {
      skipped += results[i].query.skipped.size();
      if (out.json()) {
        out.add_json(to_json(session, results[i]));
      } else {
        out.add_table(table_lines(session, results[i], first + i));
      }
    }
  });
  out.finish();
  if (skipped > 0 && !program.quiet) {
    fmt::print(stderr, "linn: skipped {} items of these histories that the model does not know\n", skipped);
  }
}

void run(const Recommend& options, const Program& program) {
  RecommendSession session(options.run, options.threads);
  ItemFiles files = options.items;
  files.unknown = options.query.unknown;
  const ChosenItems chosen = read_item_files(files, session.catalogue());
  remark_skipped_items(chosen.skipped, program);
  const TopItemsOptions top = {options.top, options.include_seen, chosen.choice};
  if (!options.answers.file.empty()) {
    if (options.query.history_given || !options.query.user.empty() || !options.query.data.empty()) {
      throw InputError("--file contains the histories; --history, --user and --data cannot be used with it");
    }
    recommend_for_file(options, session, top, program);
    return;
  }
  if (!options.answers.out.empty() || options.answers.lines) {
    throw InputError("--out and --json-lines apply only to --file");
  }
  const RecommendedItems result = recommend(session, make_query(options.query, session, program, !files.only.empty()),
                                            top, options.explain || program.json, session.threads());
  if (program.json) {
    print_json(to_json(session, result));
  } else {
    print_items(session, result);
  }
}

}  // namespace

void add_recommend_command(CLI::App& app, Program& program) {
  CLI::App* command = app.add_subcommand("recommend", "Recommend items for a history, even one never seen in training");
  auto options = std::make_shared<Recommend>();
  add_run_argument(*command, options->run);
  add_query_options(*command, options->query);
  add_whole_number(*command, "--top", options->top, "Number of items", 1, 1'000'000'000);
  command->add_flag("--explain", options->explain, "Print reasons; JSON always has them");
  command->add_flag("--include-seen", options->include_seen, "Also recommend items of the history");
  add_item_file_options(*command, options->items);
  add_answer_options(*command, options->answers, "history (HISTORY, or USER<tab>HISTORY)");
  add_threads_option(*command, options->threads);
  add_quiet_option(*command, program);
  add_json_option(*command, program);
  run_if_chosen(*command, program, [options, &program] { run(*options, program); });
}

}  // namespace linn::app
