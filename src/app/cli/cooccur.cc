// linn cooccur: how true a model considers "likes both", as a heat map.
#include <fmt/format.h>

#include <memory>

#include "app/cli/program.h"
#include "app/evaluate/cooccurrence_of_run.h"
#include "app/report/heat_map.h"
#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/base/utf8.h"

namespace linn::app {
namespace {

struct Cooccur : CooccurrenceOptions {
  std::string out;
  std::size_t threads = 0;
};

void check_map_name(const std::string& path) {
  for (const char* ending : {".svg", ".csv", ".tsv"}) {
    if (path.ends_with(ending)) return;
  }
  throw InputError(fmt::format("--out needs a name that ends in .svg, .csv or .tsv, not '{}'", path));
}

void write_map(const std::string& path, const RunCooccurrence& result) {
  HeatMap map;
  for (const RunCooccurrence::Item& item : result.items) map.labels.push_back(item.name());
  map.values = result.values;
  if (path.ends_with(".svg")) {
    write_file(path, to_svg(map, "How true \"likes both\" is: Sim(row and column, T)"));
  } else {
    write_file(path, to_table(map, path.ends_with(".csv") ? ',' : '\t'));
  }
}

void print_map(const RunCooccurrence& result) {
  constexpr std::size_t kName = 30;
  const std::size_t n = result.items.size();
  fmt::print("{:>3} {:<{}} {:>6}", "", "", kName, "users");
  for (std::size_t j = 0; j < n; ++j) fmt::print(" {:>5}", j + 1);
  fmt::print("\n");
  for (std::size_t i = 0; i < n; ++i) {
    const std::string label = printable(result.items[i].name(), kName);
    fmt::print("{:>3} {}{} {:>6}", i + 1, label, std::string(kName - count_characters(label), ' '),
               result.items[i].users);
    for (std::size_t j = 0; j < n; ++j) fmt::print(" {:>5.3f}", result.values[i * n + j]);
    fmt::print("\n");
  }
  fmt::print("\nmean |Sim(i and j, T) - Sim(j and i, T)| over {} random pairs: {:.4f}\n", kAsymmetryPairs,
             result.mean_asymmetry);
}

void run(Cooccur options, const Program& program) {
  check_map_name(options.out);
  options.seed = program.seed;
  ThreadPool threads(options.threads);
  const std::optional<RunCooccurrence> result = cooccurrence_of_run(options, threads);
  if (!result) throw InputError("co-occurrence needs a LINN, and this run has another model", Place{options.run, 0, 0});
  write_map(options.out, *result);
  if (!program.json) {
    print_map(*result);
    return;
  }
  Json object = to_json(*result);
  object["out"] = options.out;
  print_json(object);
}

}  // namespace

void add_cooccur_command(CLI::App& app, Program& program) {
  CLI::App* command =
      app.add_subcommand("cooccur", "Write a heat map of how true a model considers \"likes both items\"");
  auto options = std::make_shared<Cooccur>();
  command->add_option("run", options->run, "The run folder of a LINN recommender")->type_name("RUN")->required();
  command
      ->add_option("--items", options->items,
                   "Items by identifier or title, separated by commas; by default nine items from popular to rare")
      ->type_name("ITEMS");
  command->add_option("--out", options->out, "The map: a picture NAME.svg, or a table NAME.csv or NAME.tsv")
      ->type_name("FILE")
      ->required();
  add_threads_option(*command, options->threads);
  add_seed_option(*command, program);
  add_json_option(*command, program);
  run_if_chosen(*command, program, [options, &program] { run(*options, program); });
}

}  // namespace linn::app
