// linn import: ratings of other programs' formats as a data folder of likes and dislikes.
#include "linn/data/import.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <utility>

#include "app/cli/program.h"
#include "linn/base/error.h"
#include "linn/data/data_folder.h"
#include "linn/data/numbers.h"

namespace linn::app {
namespace {

struct Import {
  ImportFormat format = ImportFormat::kCsv;
  ImportOptions options;
  std::string source;
  std::string out;
  bool force = false;
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

// Options that would do nothing are refused.
void check_columns(const Import& import) {
  if (import.format == ImportFormat::kCsv) return;
  const ImportOptions& options = import.options;
  for (const auto& [option, name] :
       {std::pair<std::string_view, const std::string&>{"--user-column", options.user_column},
        {"--item-column", options.item_column},
        {"--rating-column", options.rating_column},
        {"--time-column", options.time_column},
        {"--title-column", options.title_column}}) {
    if (!name.empty()) {
      throw InputError(fmt::format("{} is for the format csv; the columns of {} are known", option,
                                   word_of(formats(), import.format)));
    }
  }
}

// A line for people: only what there is to say.
void print_summary(const ImportResult& result, const std::string& out) {
  const InteractionData& data = result.data;
  fmt::print(
      "{} users and {} items with {} likes and {} dislikes in {}: {} for training, {} for validation, {} for "
      "testing\n",
      data.users.size(), data.items.size(), result.likes, result.dislikes, out, data.train.size(),
      data.validation.size(), data.test.size());
  if (result.repeated > 0) {
    fmt::print("left out: {} rating{} of items that the user had rated before\n", result.repeated,
               result.repeated == 1 ? "" : "s");
  }
  if (result.skipped > 0) {
    fmt::print("skipped: {} row{} that could not be read\n", result.skipped, result.skipped == 1 ? "" : "s");
  }
}

void run(const Import& import, const Program& program) {
  check_columns(import);
  check_room_for_tables(import.out, {"train", "validation", "test", "items"}, import.force, "item");
  const ImportFiles files = find_import_files(import.format, import.source);
  const ImportResult result = import_interactions(import.format, files, import.options);
  write_interaction_folder(import.out, result.data);

  if (!program.quiet) {
    for (const std::string& remark : result.remarks) fmt::print(stderr, "linn: {}\n", remark);
  }
  if (program.json) {
    print_json({{"users", result.data.users.size()},
                {"items", result.data.items.size()},
                {"likes", result.likes},
                {"dislikes", result.dislikes},
                {"train", result.data.train.size()},
                {"validation", result.data.validation.size()},
                {"test", result.data.test.size()},
                {"skipped", result.skipped},
                {"repeated", result.repeated},
                {"out", import.out}});
    return;
  }
  print_summary(result, import.out);
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
  CLI::App* command = app.add_subcommand("import", "Make a data folder of ratings in a known format");
  auto import = std::make_shared<Import>();
  ImportOptions& options = import->options;
  add_choice(*command, "format", import->format, formats(), "How the ratings are written down")
      ->default_str("")
      ->required();
  command->add_option("source", import->source, "The file of ratings, or the folder that it is in")
      ->type_name("SOURCE")
      ->required();
  command->add_option("--like-from", options.like_from, "A rating of at least so much is a like, any other a dislike")
      ->type_name("X")
      ->check(number())
      ->capture_default_str();
  command->add_option("--skip-bad", options.skip_bad, "Leave out up to so many rows that cannot be read")
      ->type_name("N")
      ->check(whole_number(0))
      ->capture_default_str();
  const auto add_column = [&](const std::string& option, std::string& name, const std::string& what) {
    command->add_option(option, name, fmt::format("csv: the column of {}", what))->type_name("NAME");
  };
  add_column("--user-column", options.user_column, "users (default: user, user_id, userId and the like)");
  add_column("--item-column", options.item_column, "items (default: item, item_id, itemId and the like)");
  add_column("--rating-column", options.rating_column, "ratings (default: rating, overall or stars)");
  add_column("--time-column", options.time_column,
             "times (default: time or timestamp; without either the order of the rows)");
  add_column("--title-column", options.title_column, "the items' titles (default: none)");
  command->add_option("--out", import->out, "The folder to write")->type_name("DIR")->required();
  command->add_flag("--force", import->force, "Overwrite a data set that is in the folder already");
  add_json_option(*command, program);
  add_quiet_option(*command, program);
  command->callback([import, &program] { program.run = [import, &program] { run(*import, program); }; });
}

}  // namespace linn::app
