// linn import: converts rating files of other formats to a data folder of likes and dislikes.
#include "linn/data/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <memory>

#include "app/cli/program.h"
#include "linn/base/error.h"
#include "linn/base/utf8.h"
#include "linn/data/moment.h"
#include "linn/data/numbers.h"

namespace linn::app {
namespace {

struct Import {
  ImportFormat format = ImportFormat::kCsv;
  ImportOptions options;
  std::string source;
  DataFolderOptions folder;
  bool dry_run = false;
};

std::vector<Choice<ImportFormat>> formats() {
  return {{"movielens-100k", ImportFormat::kMovielens100k},
          {"movielens-1m", ImportFormat::kMovielens1m},
          {"movielens-csv", ImportFormat::kMovielensCsv},
          {"amazon-json", ImportFormat::kAmazonJson},
          {"amazon-csv", ImportFormat::kAmazonCsv},
          {"recbole", ImportFormat::kRecbole},
          {"csv", ImportFormat::kCsv}};
}

constexpr std::array<std::string_view, kRatingFields> kColumnOptions = {
    "--user-column", "--item-column", "--rating-column", "--time-column", "--title-column"};

bool has_rating_tables(ImportFormat format) { return format == ImportFormat::kCsv || format == ImportFormat::kRecbole; }

// Refuses options that would have no effect.
void check_columns(const Import& import) {
  if (!import.options.rated) {
    if (!has_rating_tables(import.format)) {
      throw InputError(
          fmt::format("--no-ratings is for the formats csv and recbole, not {}", word_of(formats(), import.format)));
    }
    if (!import.options.rating_column.empty()) throw InputError("--no-ratings excludes --rating-column");
  }
  if (import.format != ImportFormat::kMovielens100k && import.format != ImportFormat::kMovielens1m) return;
  const ImportOptions& options = import.options;
  const std::array<const std::string*, kRatingFields> names = {
      &options.user_column, &options.item_column, &options.rating_column, &options.time_column, &options.title_column};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i]->empty()) continue;
    throw InputError(fmt::format("{} is not for the format {}, whose files have no header", kColumnOptions[i],
                                 word_of(formats(), import.format)));
  }
}

// A word of a command line.
std::string quoted(const std::string& word) {
  const bool is_plain = std::ranges::all_of(word, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  return is_plain ? word : fmt::format("\"{}\"", word);
}

ImportResult read(const Import& import) {
  try {
    return import_interactions(import.format, find_import_files(import.format, import.source), import.options);
  } catch (const MissingColumn& error) {
    const std::string_view option = kColumnOptions[static_cast<std::size_t>(error.field())];
    const std::string example =
        error.nearest().empty() ? "" : fmt::format(", for example {} {}", option, quoted(error.nearest()));
    const std::string_view unrated = error.field() == RatingField::kRating && has_rating_tables(import.format)
                                         ? ", or give --no-ratings if every row is a like"
                                         : "";
    throw error.with_message(fmt::format("{}; name it with {}{}{}", error.message(), option, example, unrated));
  }
}

// The date of a time in seconds or milliseconds; empty for other units.
std::string date_of(std::int64_t time) {
  constexpr std::int64_t kMilliseconds = 100'000'000'000;  // as seconds, beyond the year 5000
  return date_text(time > kMilliseconds ? time / 1000 : time);
}

Json first_rows_to_json(const ImportResult& result) {
  Json rows = Json::array();
  for (const ImportedRating& row : result.first) {
    rows.push_back({{"user", row.user},
                    {"item", row.item},
                    {"rating", or_null(row.rating)},
                    {"label", row.liked ? 1 : 0},
                    {"time", result.has_times ? Json(row.time.whole) : Json()},
                    {"date", result.has_times ? Json(date_of(row.time.whole)) : Json()},
                    {"title", row.title}});
  }
  return rows;
}

void print_first_rows(const ImportResult& result) {
  std::vector<std::array<std::string, 7>> lines = {{"user", "item", "rating", "label", "time", "date", "title"}};
  for (const ImportedRating& row : result.first) {
    lines.push_back({row.user, row.item, row.rating ? fmt::format("{}", *row.rating) : "none",
                     row.liked ? "1 (like)" : "0 (dislike)", result.has_times ? std::to_string(row.time.whole) : "none",
                     result.has_times ? date_of(row.time.whole) : "", row.title});
  }
  std::array<std::size_t, 7> widths{};
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], count_characters(line[i]));
  }
  for (const auto& line : lines) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
      text += line[i] + std::string(widths[i] + 2 - count_characters(line[i]), ' ');
    }
    text.erase(text.find_last_not_of(' ') + 1);
    fmt::print("{}\n", printable(text, text.size()));
  }
}

void print_summary(const ImportResult& result, const std::string& where) {
  const InteractionData& data = result.data;
  fmt::print(
      "{} users and {} items with {} likes and {} dislikes{}: {} for training, {} for validation, {} for testing\n",
      data.users.size(), data.items.size(), result.likes, result.dislikes, where, data.train.size(),
      data.validation.size(), data.test.size());
  if (result.repeated > 0) {
    fmt::print("left out: {} repeated rating{} of the same item\n", result.repeated, result.repeated == 1 ? "" : "s");
  }
  if (result.skipped > 0) {
    fmt::print("skipped: {} invalid row{}\n", result.skipped, result.skipped == 1 ? "" : "s");
  }
}

void run(const Import& import, const Program& program) {
  check_columns(import);
  if (!import.dry_run) {
    if (import.folder.out.empty()) throw InputError("--out is required; --dry-run shows what would be written");
    import.folder.require_room({"train", "validation", "test", "items"}, "item");
  }
  const ImportResult result = read(import);
  if (!import.dry_run) write_interaction_folder(import.folder.out, result.data);

  if (!result.has_times && !program.quiet) {
    const std::string hint =
        result.likely_times.empty()
            ? ""
            : fmt::format("; if '{}' has times: --time-column {}", result.likely_times, quoted(result.likely_times));
    fmt::print(stderr, "linn: {} has no timestamps: its rows are taken to be in chronological order{}\n",
               printable(import.source, std::string::npos), hint);
  }
  if (!program.quiet) {
    for (const std::string& remark : result.remarks) fmt::print(stderr, "linn: {}\n", remark);
  }
  if (program.json) {
    Json object = {{"users", result.data.users.size()},
                   {"items", result.data.items.size()},
                   {"likes", result.likes},
                   {"dislikes", result.dislikes},
                   {"train", result.data.train.size()},
                   {"validation", result.data.validation.size()},
                   {"test", result.data.test.size()},
                   {"skipped", result.skipped},
                   {"repeated", result.repeated},
                   {"out", import.dry_run ? Json() : Json(import.folder.out)}};
    if (import.dry_run) object["first"] = first_rows_to_json(result);
    print_json(object);
    return;
  }
  if (import.dry_run) print_first_rows(result);
  print_summary(result, import.dry_run ? "" : " in " + import.folder.out);
  if (import.dry_run) fmt::print("nothing was written\n");
}

CLI::Validator number() {
  return CLI::Validator(
      [](std::string& text) {
        return parse_number(text) ? std::string() : fmt::format("must be a number, not '{}'", text);
      },
      "");
}

}  // namespace

void add_import_command(CLI::App& app, Program& program) {
  CLI::App* command = app.add_subcommand("import", "Convert ratings in a known format to a data folder");
  auto import = std::make_shared<Import>();
  ImportOptions& options = import->options;
  add_choice(*command, "format", import->format, formats(), "The format of the ratings")->default_str("")->required();
  command->add_option("source", import->source, "The file of ratings, or its folder")->type_name("SOURCE")->required();
  command->add_option("--like-from", options.like_from, "Ratings of at least this value are likes, others dislikes")
      ->type_name("X")
      ->check(number())
      ->capture_default_str();
  command->add_flag_callback(
      "--no-ratings", [&options] { options.rated = false; },
      "csv and recbole: there are no ratings, every row is a like");
  add_whole_number(*command, "--skip-bad", options.skip_bad, "Skip up to this many invalid rows");
  const auto add_column = [&](const std::string& option, std::string& name, const std::string& what) {
    command->add_option(option, name, fmt::format("The column of {}", what))->type_name("NAME");
  };
  add_column("--user-column", options.user_column,
             "users, in a file with a header, or their key in JSON (default: user, user_id, userId and the like)");
  add_column("--item-column", options.item_column, "items (default: item, item_id, itemId and the like)");
  add_column("--rating-column", options.rating_column, "ratings (default: rating, overall or stars)");
  add_column("--time-column", options.time_column,
             "times (default: time or timestamp; if there is neither, rows are in order)");
  add_column("--title-column", options.title_column, "the items' titles (default: none)");
  add_data_folder_options(*command, import->folder);
  command->get_option("--out")->required(false);  // for --dry-run
  command->add_flag("--dry-run", import->dry_run, "Show the first rows as they are understood, and write nothing");
  add_json_option(*command, program);
  add_quiet_option(*command, program);
  run_if_chosen(*command, program, [import, &program] { run(*import, program); });
}

}  // namespace linn::app
