// linn tsne: the vectors of the variables in the plane.
#include "linn/embed/tsne.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>

#include "app/cli/program.h"
#include "app/evaluate/equation_run.h"
#include "app/evaluate/variable_truth.h"
#include "app/report/scatter_plot.h"
#include "linn/base/context.h"
#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/equations/equation_registry.h"

namespace linn::app {
namespace {

struct Tsne {
  std::string run;
  std::string out;
  std::string truth;
  TsneOptions options;
  std::size_t threads = 0;
};

// Blue and orange of the colour-blind safe palette of Okabe and Ito.
enum Group : std::uint8_t { kIsTrue, kIsFalse, kUnknown };
const std::vector<ScatterGroup> kGroups = {{"true", "#0072B2"}, {"false", "#E69F00"}, {"unknown", "#999999"}};

std::vector<std::uint8_t> groups_of(const Vocabulary& names, const std::string& path) {
  std::vector<std::uint8_t> groups(names.size(), kUnknown);
  if (path.empty()) return groups;
  const Truth truth = read_truth_of(names, path);
  for (VariableId id = 0; id < truth.size(); ++id) {
    if (truth[id]) groups[id] = *truth[id] ? kIsTrue : kIsFalse;
  }
  return groups;
}

// With a truth file, the column `value` holds T, F or nothing if the value is unknown.
std::string table_of(const Vocabulary& names, const TsneResult& result, const std::vector<std::uint8_t>& groups,
                     bool truth) {
  std::string table = truth ? "variable\tx\ty\tvalue\n" : "variable\tx\ty\n";
  auto out = std::back_inserter(table);
  for (VariableId id = 0; id < names.size(); ++id) {
    fmt::format_to(out, "{}\t{:.6g}\t{:.6g}", names.name(id), result.xy[2 * id], result.xy[2 * id + 1]);
    if (truth) fmt::format_to(out, "\t{}", groups[id] == kIsTrue ? "T" : groups[id] == kIsFalse ? "F" : "");
    table += '\n';
  }
  return table;
}

void run(const Tsne& tsne_options, const Program& program) {
  const std::filesystem::path out(tsne_options.out);
  const bool picture = out.extension() == ".svg";
  if (!picture && out.extension() != ".tsv") {
    throw InputError(fmt::format("--out needs a name that ends in .tsv or .svg, not '{}'", tsne_options.out));
  }
  const auto model = std::filesystem::is_regular_file(tsne_options.run)
                         ? load_equation_model(SafetensorsFile::read(tsne_options.run))
                         : load_equation_run(tsne_options.run);
  const LogicModel* network = model->logic_model();
  if (network == nullptr) {
    throw InputError("tsne needs a LINN, and this run has another model", Place{tsne_options.run, 0, 0});
  }
  const std::vector<std::uint8_t> groups = groups_of(model->names(), tsne_options.truth);
  Context context(program.seed, tsne_options.threads);
  const EmbeddingTable& table = network->variables;
  const TsneResult result =
      tsne({table.row(0), table.rows(), table.width(), table.width()}, tsne_options.options, context);
  write_file(out, picture ? to_svg(ScatterPlot{result.xy, groups, kGroups})
                          : table_of(model->names(), result, groups, !tsne_options.truth.empty()));
  if (program.json) {
    print_json({{"out", tsne_options.out},
                {"points", table.rows()},
                {"divergence", result.divergence},
                {"iterations", result.iterations}});
  } else {
    fmt::print("{} points in {}, divergence {:.4f}\n", table.rows(), tsne_options.out, result.divergence);
  }
}

}  // namespace

void add_tsne_command(CLI::App& app, Program& program) {
  CLI::App* tsne = app.add_subcommand("tsne", "Embed the vectors of a run's variables in the plane with t-SNE");
  auto options = std::make_shared<Tsne>();
  tsne->add_option("run", options->run, "A run folder, or a model file such as a snapshot")
      ->type_name("RUN|FILE")
      ->required();
  tsne->add_option("--out", options->out, "The result: a table or a picture")
      ->type_name("FILE.tsv|FILE.svg")
      ->required();
  tsne->add_option("--truth", options->truth, "A table of true values, shown as colours")->type_name("FILE");
  tsne->add_option("--perplexity", options->options.perplexity, "Effective number of neighbours of a point")
      ->type_name("X")
      ->check(CLI::Range(1.0, 1e6))
      ->capture_default_str();
  add_whole_number(*tsne, "--iterations", options->options.iterations, "Number of iterations", 1, 1'000'000);
  add_threads_option(*tsne, options->threads);
  add_seed_option(*tsne, program);
  add_json_option(*tsne, program);
  run_if_chosen(*tsne, program, [options, &program] { run(*options, program); });
}

}  // namespace linn::app
