#include "app/cli/evaluation_options.h"

#include <fmt/format.h>

#include "linn/base/options.h"
#include "linn/base/split.h"

namespace linn::app {

void add_data_options(CLI::App& command, DataSelection& selection, bool files) {
  command.add_option("--data", selection.data, "Data to use instead of the data that the run was trained on")
      ->type_name(files ? "DIR|FILE" : "DIR");
  add_choice<std::optional<Split>>(
      command, "--split", selection.split,
      {{"test", Split::kTest}, {"validation", Split::kValidation}, {"train", Split::kTrain}},
      files ? "Part of the data to use; without it, all equations of a file given with --data"
            : "Part of the data to use")
      ->default_str("test");
}

std::vector<CLI::Option*> add_ranking_options(CLI::App& command, RankingProtocol& protocol) {
  const CLI::callback_t set_candidates = [&protocol](const CLI::results_t& given) {
    protocol.candidates =
        given.front() == "all" ? 0 : options_detail::parse_integer("--candidates", given.front(), 1, 1'000'000);
    return true;
  };
  const CLI::callback_t set_cutoffs = [&protocol](const CLI::results_t& given) {
    for (const std::string_view k : split(given.front(), ',')) {
      protocol.cutoffs.push_back(options_detail::parse_integer("--at", std::string(k), 1, 1'000'000'000));
    }
    return true;
  };
  return {command
              .add_option("--candidates", set_candidates,
                          "Recommenders: number of items that each held-out item is ranked among")
              ->type_name("N|all")
              ->default_str("100"),
          command
              .add_option("--candidate-seed", protocol.seed,
                          "Recommenders: seed of the candidates (default: that of the run)")
              ->type_name("N")
              ->check(whole_number(0)),
          command.add_option("--at", set_cutoffs, "Recommenders: further K for nDCG@K and Hit@K, beside 1 and 10")
              ->type_name("K,...")};
}

std::vector<CLI::Option*> add_item_file_options(CLI::App& command, ItemFiles& files) {
  return {
      command
          .add_option("--exclude", files.exclude, "A file with items to leave out, one identifier or title per line")
          ->type_name("FILE"),
      command
          .add_option("--only", files.only, "A file with the items to choose from, one identifier or title per line")
          ->type_name("FILE")};
}

CLI::Option* add_unknown_option(CLI::App& command, UnknownItems& unknown, const char* help) {
  return add_choice<UnknownItems>(command, "--unknown", unknown,
                                  {{"refuse", UnknownItems::kRefuse}, {"skip", UnknownItems::kSkip}}, help);
}

void remark_skipped_items(std::size_t skipped, const Program& program) {
  if (skipped == 0 || program.quiet) return;
  fmt::print(stderr, "linn: skipped {} items of --exclude or --only that the model does not know\n", skipped);
}

void remark_left_out(std::size_t rows, std::size_t unknown_items, const Program& program) {
  if (rows == 0 || program.quiet) return;
  fmt::print(stderr, "linn: left out {} rows about {} items that the model does not know\n", rows, unknown_items);
}

}  // namespace linn::app
