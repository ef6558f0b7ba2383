// linn import: converts rating files of other formats to a data folder of likes and dislikes.
#include "linn/data/import.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <utility>

#include "app/cli/program.h"
#include "linn/base/error.h"
#include "linn/data/numbers.h"

namespace linn::app {
namespace {

struct Import {
  ImportFormat format = ImportFormat::kCsv;
  ImportOptions options;
  std::string source;
  DataFolderOptions folder;
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

// Refuses options that would have no effect.
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
      throw InputError(fmt::format("{} is only for the format csv; the columns of {} are known", option,
                                   word_of(formats(), import.format)));
    }
  }
}

void print_summary(const ImportResult& result, const std::string& out) {
  const InteractionData& data = result.data;
  fmt::print(
      "{} users and {} items with {} likes and {} dislikes in {}: {} for training, {} for validation, {} for "
      "testing\n",
      data.users.size(), data.items.size(), result.likes, result.dislikes, out, data.train.size(),
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
  import.folder.require_room({"train", "validation", "test", "items"}, "item");
  const ImportFiles files = find_import_files(import.format, import.source);
  const ImportResult result = import_interactions(import.format, files, import.options);
  write_interaction_folder(import.folder.out, result.data);

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
                {"out", import.folder.out}});
    return;
  }
  print_summary(result, import.folder.out);
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
  add_whole_number(*command, "--skip-bad", options.skip_bad, "Skip up to this many invalid rows");
  const auto add_column = [&](const std::string& option, std::string& name, const std::string& what) {
    command->add_option(option, name, fmt::format("csv: the column of {}", what))->type_name("NAME");
  };
  add_column("--user-column", options.user_column, "users (default: user, user_id, userId and the like)");
  add_column("--item-column", options.item_column, "items (default: item, item_id, itemId and the like)");
  add_column("--rating-column", options.rating_column, "ratings (default: rating, overall or stars)");
  add_column("--time-column", options.time_column,
             "times (default: time or timestamp; if there is neither, rows are in order)");
  add_column("--title-column", options.title_column, "the items' titles (default: none)");
  add_data_folder_options(*command, import->folder);
  add_json_option(*command, program);
  add_quiet_option(*command, program);
  run_if_chosen(*command, program, [import, &program] { run(*import, program); });
}

}  // namespace linn::app
