// linn cooccur: how true the model thinks "likes both" is, as a heat map.
#include <fmt/format.h>

#include <memory>

#include "app/cli/recommendations.h"
#include "app/report/heat_map.h"
#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/base/utf8.h"
#include "linn/recommend/linn/cooccurrence.h"

namespace linn::app {
namespace {

struct Cooccur {
  std::string run;
  std::string items;
  std::string out;
  std::size_t threads = 0;
};

constexpr std::size_t kAsymmetryPairs = 10'000;

void check_ending(const std::string& path) {
  for (const char* ending : {".svg", ".csv", ".tsv"}) {
    if (path.ends_with(ending)) return;
  }
  throw InputError(fmt::format("--out takes a name that ends in .svg, .csv or .tsv, not '{}'", path));
}

void write_map(const std::string& path, const HeatMap& map) {
  if (path.ends_with(".svg")) {
    write_file(path, to_svg(map, "How true \"likes both\" is: Sim(row and column, T)"));
  } else {
    write_file(path, to_table(map, path.ends_with(".csv") ? ',' : '\t'));
  }
}

void run(const Cooccur& options, const Program& program) {
  check_ending(options.out);
  Answerer answerer(options.run, options.threads);
  const Reasoning* reasoning = answerer.model().reasoning();
  if (reasoning == nullptr)
    throw InputError("only a run of linn knows how true an expression is", Place{options.run, 0, 0});
  Random random(program.seed);
  const std::vector<ItemId> items = options.items.empty() ? items_over_popularity(reasoning->counts(), random)
                                                          : parse_items(options.items, answerer.finder());
  HeatMap map;
  map.values = cooccurrence(*reasoning, items, answerer.threads());
  for (const ItemId item : items) map.labels.push_back(answerer.name(item));
  const double asymmetry = mean_asymmetry(*reasoning, kAsymmetryPairs, random, answerer.threads());
  write_map(options.out, map);

  const std::size_t n = items.size();
  if (program.json) {
    Json list = Json::array();
    Json values = Json::array();
    for (std::size_t i = 0; i < n; ++i) {
      const ItemId item = items[i];
      Json entry = {{"item", answerer.catalogue().items.name(item)}, {"title", answerer.title(item)}};
      entry["users"] = reasoning->counts().users[item];
      list.push_back(std::move(entry));
      values.push_back(std::vector<float>(map.values.begin() + static_cast<std::ptrdiff_t>(i * n),
                                          map.values.begin() + static_cast<std::ptrdiff_t>((i + 1) * n)));
    }
    print_json({{"items", list}, {"values", values}, {"mean_asymmetry", asymmetry}, {"out", options.out}});
    return;
  }
  constexpr std::size_t kName = 30;
  fmt::print("{:>3} {:<{}} {:>6}", "", "", kName, "users");
  for (std::size_t j = 0; j < n; ++j) fmt::print(" {:>5}", j + 1);
  fmt::print("\n");
  for (std::size_t i = 0; i < n; ++i) {
    const std::string label = printable(map.labels[i], kName);
    fmt::print("{:>3} {}{} {:>6}", i + 1, label, std::string(kName - count_characters(label), ' '),
               reasoning->counts().users[items[i]]);
    for (std::size_t j = 0; j < n; ++j) fmt::print(" {:>5.3f}", map.values[i * n + j]);
    fmt::print("\n");
  }
  fmt::print("\nmean |Sim(i and j, T) - Sim(j and i, T)| over {} random pairs: {:.4f}\n", kAsymmetryPairs, asymmetry);
}

}  // namespace

void add_cooccur_command(CLI::App& app, Program& program) {
  CLI::App* command = app.add_subcommand("cooccur", "How true a model thinks \"likes both\" is, as a heat map");
  auto options = std::make_shared<Cooccur>();
  command->add_option("run", options->run, "The run folder, of linn")->type_name("RUN")->required();
  command
      ->add_option("--items", options->items,
                   "Items, separated by commas, by identifier or title; without, nine from popular to rare")
      ->type_name("ITEMS");
  command->add_option("--out", options->out, "Where the map goes: a picture for NAME.svg, a table for .csv or .tsv")
      ->type_name("FILE")
      ->required();
  add_threads_option(*command, options->threads);
  add_seed_option(*command, program);
  add_json_option(*command, program);
  command->callback([options, &program] { program.run = [options, &program] { run(*options, program); }; });
}

}  // namespace linn::app
