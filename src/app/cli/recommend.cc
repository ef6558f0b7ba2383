// linn recommend: the best items for a history, or for each of a file of histories.
#include <fmt/format.h>

#include <memory>

#include "app/cli/recommendations.h"
#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/base/utf8.h"
#include "linn/recommend/protocol/top_items.h"

namespace linn::app {
namespace {

struct Recommend {
  std::string run;
  QueryOptions query;
  std::string file;
  std::string out;
  std::size_t top = 10;
  bool explain = false;
  bool include_seen = false;
  std::size_t threads = 0;
};

// The answer to one history.
struct Answer {
  NamedQuery someone;
  std::vector<ScoredItem> items;
  std::vector<Explanation> explanations;  // of the items in order, or none
};

Answer answer(const Recommend& options, Answerer& answerer, NamedQuery someone, bool explained) {
  Answer result{std::move(someone), {}, {}};
  result.items =
      top_items(answerer.model(), result.someone.query(), {options.top, options.include_seen}, answerer.threads());
  if (explained) {
    std::vector<ItemId> items;
    for (const ScoredItem& scored : result.items) items.push_back(scored.item);
    result.explanations = explain(answerer.model(), result.someone.query(), items, answerer.threads());
  }
  return result;
}

Json answer_to_json(const Answerer& answerer, const Answer& one) {
  Json items = Json::array();
  for (std::size_t i = 0; i < one.items.size(); ++i) {
    Json entry = answerer.item_json(one.items[i].item, one.items[i].score);
    if (!one.explanations.empty()) {
      entry["because"] = answerer.because_json(one.explanations[i]);
      entry["words"] = answerer.words(one.explanations[i]);
    }
    items.push_back(std::move(entry));
  }
  Json object = Json::object();
  if (!one.someone.name.empty()) object["user"] = one.someone.name;
  object["items"] = std::move(items);
  if (!one.someone.skipped.empty()) object["skipped"] = one.someone.skipped;
  return object;
}

void print_answer(const Answerer& answerer, const Answer& one) {
  if (one.items.empty()) fmt::print("nothing is left to recommend\n");
  for (std::size_t i = 0; i < one.items.size(); ++i) {
    fmt::print("{:>3}  {}  {}\n", i + 1, answerer.score_text(one.items[i].score),
               answerer.long_name(one.items[i].item));
    if (one.explanations.empty()) continue;
    const std::string words = answerer.words(one.explanations[i]);
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

std::string table_lines(const Answerer& answerer, const Answer& one, std::size_t line) {
  std::string text;
  for (std::size_t i = 0; i < one.items.size(); ++i) {
    const ItemId item = one.items[i].item;
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{:.6g}", line, tab_field(one.someone.name), i + 1,
                        answerer.catalogue().items.name(item), tab_field(answerer.title(item)), one.items[i].score);
    if (!one.explanations.empty()) text += "\t" + tab_field(answerer.words(one.explanations[i]));
    text += '\n';
  }
  return text;
}

// A line holds a history, or a user, a tab and a history.
NamedQuery read_line(const Answerer& answerer, std::string_view line, UnknownItems unknown) {
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos) return answerer.find(line, "", unknown);
  try {
    return answerer.find(line.substr(tab + 1), line.substr(0, tab), unknown);
  } catch (const InputError& error) {
    Place place = error.place();
    if (place.column > 0) place.column += count_characters(line.substr(0, tab + 1));
    throw InputError(error.message(), place, std::string(line));
  }
}

// All histories of the file, so that a wrong line is known before anything is answered.
std::vector<NamedQuery> read_histories(const Recommend& options, const Answerer& answerer) {
  std::vector<NamedQuery> everybody;
  LineReader lines(options.file);
  for (std::string_view line; lines.next(line);) {
    try {
      everybody.push_back(read_line(answerer, line, options.query.unknown));
    } catch (const InputError& error) {
      throw error.in_file(options.file, lines.line_number());
    }
  }
  return everybody;
}

void answer_file(const Recommend& options, Answerer& answerer, const Program& program) {
  std::vector<NamedQuery> everybody = read_histories(options, answerer);
  std::size_t skipped = 0;
  for (const NamedQuery& someone : everybody) skipped += someone.skipped.size();
  if (skipped > 0 && !program.quiet) {
    fmt::print(stderr, "linn: skipped {} items of these histories that the model does not know\n", skipped);
  }
  // Many requests to one model: what they share is computed once.
  answerer.model().prepare_for_queries(answerer.threads());
  const bool json_file = options.out.ends_with(".json");
  const bool json = program.json || json_file;
  std::unique_ptr<FileWriter> out;
  if (!options.out.empty()) out = std::make_unique<FileWriter>(options.out);
  const auto write_table = [&](const std::string& text) {
    if (out && !json_file) {
      out->write(text);
    } else if (!out && !program.json) {
      fmt::print("{}", text);
    }
  };
  write_table(fmt::format("{}{}\n", kTableHeader, options.explain ? "\twords" : ""));
  Json results = Json::array();
  for (std::size_t i = 0; i < everybody.size(); ++i) {
    const Answer one = answer(options, answerer, std::move(everybody[i]), options.explain || json);
    if (json) results.push_back(answer_to_json(answerer, one));
    write_table(table_lines(answerer, one, i + 1));
  }
  const Json object = {{"results", std::move(results)}};
  if (json_file) out->write(object.dump(2) + "\n");
  if (out) out->commit();
  if (program.json) print_json(object);
}

void run(const Recommend& options, const Program& program) {
  Answerer answerer(options.run, options.threads);
  if (!options.file.empty()) {
    if (options.query.history_given || !options.query.user.empty() || !options.query.data.empty()) {
      throw InputError("--file has the histories: --history, --user and --data do not go with it");
    }
    answer_file(options, answerer, program);
    return;
  }
  if (!options.out.empty()) throw InputError("--out goes with --file");
  NamedQuery someone = answerer.find(options.query);
  Answerer::remark_skipped(someone, program);
  const Answer one = answer(options, answerer, std::move(someone), options.explain || program.json);
  if (program.json) {
    print_json(answer_to_json(answerer, one));
  } else {
    print_answer(answerer, one);
  }
}

}  // namespace

void add_recommend_command(CLI::App& app, Program& program) {
  CLI::App* command = app.add_subcommand("recommend", "The best items for a history, also one never seen in training");
  auto options = std::make_shared<Recommend>();
  add_run_argument(*command, options->run);
  add_query_options(*command, options->query);
  command->add_option("--top", options->top, "How many items")
      ->type_name("N")
      ->check(whole_number(1, 1'000'000'000))
      ->capture_default_str();
  command->add_flag("--explain", options->explain, "Say why; JSON says so anyway");
  command->add_flag("--include-seen", options->include_seen, "Items of the history may be recommended too");
  command->add_option("--file", options->file, "A file of histories, one a line: HISTORY, or USER<tab>HISTORY")
      ->type_name("FILE");
  command->add_option("--out", options->out, "With --file: where answers go, as a table or, for NAME.json, as JSON")
      ->type_name("FILE");
  add_threads_option(*command, options->threads);
  add_quiet_option(*command, program);
  add_json_option(*command, program);
  run_if_chosen(*command, program, [options, &program] { run(*options, program); });
}

}  // namespace linn::app
