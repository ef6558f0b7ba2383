// linn recommend: the best items for a history, or for every history of a file.
#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <functional>
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

// Answers of one process, and the number of items that they skipped, as text.
std::string pack_answers(std::size_t skipped, std::span<const std::string> answers) {
  std::string text = fmt::format("{} ", skipped);
  for (const std::string& answer : answers) text += fmt::format("{} {}", answer.size(), answer);
  return text;
}

// Returns the number of skipped items.
std::size_t for_each_answer(std::string_view text, const std::function<void(std::string_view answer)>& use) {
  const auto take_number = [&] {
    const std::size_t end = text.find(' ');
    std::size_t number = 0;
    std::from_chars(text.data(), text.data() + end, number);
    text.remove_prefix(end + 1);
    return number;
  };
  const std::size_t skipped = take_number();
  while (!text.empty()) {
    const std::size_t size = take_number();
    use(text.substr(0, size));
    text.remove_prefix(size);
  }
  return skipped;
}

void recommend_for_file(const Recommend& options, RecommendSession& session, const TopItemsOptions& top,
                        const Program& program) {
  session.model().prepare_for_queries(session.threads());  // computes once what the requests share
  const RecommendSession& asked = session;
  AnswerWriter out(options.answers, program, fmt::format("{}{}", kTableHeader, options.explain ? "\twords" : ""));
  const bool explained = options.explain || out.json();
  std::size_t skipped = 0;
  std::vector<std::string> answers;
  ProcessGroup& processes = *program.processes;
  for_each_block_of_lines(options.answers.file, [&](std::span<const std::string> lines, std::size_t first) {
    // Each process answers some of the lines; one history per thread at a time, since more of them are independent than
    // of the work for one.
    const std::size_t begin = lines.size() * processes.rank() / processes.size();
    answers.resize(lines.size() * (processes.rank() + 1) / processes.size() - begin);
    std::atomic<std::size_t> own_skipped = 0;
    const std::vector<std::string> parts = gather_results(processes, [&] {
      session.threads().run(answers.size(), [&](std::size_t i, std::size_t) {
        ThreadPool alone(1);
        const std::size_t line = begin + i;
        try {
          const RecommendedItems items =
              recommend(asked, read_line(asked, lines[line], options.query.unknown), top, explained, alone);
          own_skipped += items.query.skipped.size();
          answers[i] = out.json() ? to_json(asked, items).dump() : table_lines(asked, items, first + line);
        } catch (const InputError& error) {
          throw error.in_file(options.answers.file, first + line);
        }
      });
      return pack_answers(own_skipped, answers);
    });
    for (const std::string& part : parts) {
      skipped += for_each_answer(part, [&](std::string_view answer) {
        if (!processes.is_first()) return;
        out.json() ? out.add_json_text(answer) : out.add_table(answer);
      });
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
  if (program.processes->size() > 1) throw InputError("several processes answer the lines of --file, not one question");
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
  run_shared_if_chosen(*command, program, [options, &program] { run(*options, program); });
}

}  // namespace linn::app
