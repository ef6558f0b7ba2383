// linn similar: the items that go with an item.
#include <fmt/format.h>

#include <memory>

#include "app/cli/evaluation_options.h"
#include "app/evaluate/recommend_answer.h"
#include "linn/base/error.h"

namespace linn::app {
namespace {

struct Similar {
  std::string run;
  std::string item;
  std::size_t top = 10;
  ItemFiles items;
  std::size_t threads = 0;
};

void run(const Similar& options, const Program& program) {
  RecommendSession session(options.run, options.threads);
  const std::optional<ItemId> item = session.finder().find(options.item);
  if (!item) throw InputError(session.finder().unknown(options.item));
  const ChosenItems chosen = read_item_files(options.items, session.catalogue());
  remark_skipped_items(chosen.skipped, program);
  const Similarities similar =
      similar_items(session.model(), *item, {options.top, false, chosen.choice}, session.threads());
  if (program.json) {
    print_json(to_json(session, *item, similar));
    return;
  }
  if (similar.items.empty()) fmt::print("no other items are left\n");
  for (std::size_t i = 0; i < similar.items.size(); ++i) {
    fmt::print("{:>3}  {:.4f}  {}\n", i + 1, similar.truths.empty() ? similar.items[i].score : similar.truths[i],
               session.long_name(similar.items[i].item));
  }
}

}  // namespace

void add_similar_command(CLI::App& app, Program& program) {
  CLI::App* command = app.add_subcommand("similar", "Show the items that go with an item");
  auto options = std::make_shared<Similar>();
  add_run_argument(*command, options->run);
  command->add_option("--item", options->item, "The item, by identifier or title")->type_name("ITEM")->required();
  add_whole_number(*command, "--top", options->top, "Number of items", 1, 1'000'000'000);
  add_item_file_options(*command, options->items);
  add_unknown_option(*command, options->items.unknown, "How to treat items of --only that the model does not know");
  add_threads_option(*command, options->threads);
  add_quiet_option(*command, program);
  add_json_option(*command, program);
  command->footer(
      "An item goes with another if whoever likes the one will like the other. LINN prints the truth of \"one and the\n"
      "other\", Sim(one AND other, T), other models the score for a history of the one item.");
  run_if_chosen(*command, program, [options, &program] { run(*options, program); });
}

}  // namespace linn::app
