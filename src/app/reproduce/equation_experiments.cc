// Figure 1, Table 1, Table 2, Figure 2 and Figure 3 of the paper: learning from equations.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/report/cells.h"
#include "app/report/network_drawing.h"
#include "app/reproduce/equation_trainings.h"
#include "app/reproduce/experiment.h"

namespace linn::app {
namespace {

// Figure 1.

void report_figure_1(const ExperimentResults& /*results*/, ReportSection& section) {
  section.add_text(
      "Each expression has its own network: variables are vectors; AND, OR and NOT are small neural modules that all "
      "expressions share; and the vector of the whole expression is compared with the vector of true.");
  for (const std::string_view text : {"(v_i & v_j) | !v_k", "!v_i & (v_j | v_k)"}) {
    section.add_graph(network_drawing(text), fmt::format("The network of {}", text), std::string(text), true);
  }
}

// Table 1.

void plan_table_1(const ReproduceSetup& setup, ExperimentJobs& jobs) {
  for (const char* model : {"linn", "linn-rl"}) jobs.add(equation_training(setup, kEquations1k, model, "paper"));
}

void report_table_1(const ExperimentResults& results, ReportSection& section) {
  section.add_text(
      "How well the trained modules obey each law of the paper's Table 1, and some laws that no model was taught, on "
      "the vectors of the test expressions of equations-1k: the similarity of the two sides, and the share of cases in "
      "which both sides are true or both are false. Where the sides are opposites, the similarity should be low.");
  const Training linn = equation_training(results.setup(), kEquations1k, "linn", "paper");
  const Training without = equation_training(results.setup(), kEquations1k, "linn-rl", "paper");
  Table table;
  table.corner = "law";
  table.columns = {{"formula", 3, ""},
                   {"similarity", 3, "LINN"},
                   {"agree", 3, "LINN"},
                   {"similarity", 3, "LINN−R_l"},
                   {"agree", 3, "LINN−R_l"}};
  const auto& laws = results.output(linn, 1, Printed::kAudit);
  if (laws.is_object()) table.rows = law_rows();
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    for (const Training& training : {linn, without}) {
      for (const char* figure : {"similarity", "agreement"}) {
        const std::string place = fmt::format("/laws/{}/expressions/{}", i, figure);
        table.rows[i].cells.push_back(cell_of(results.figures(training, place, Printed::kAudit)));
      }
    }
  }
  table.note = "The laws below the line are not part of the loss.";
  section.add_table(table);
}

// Table 2.

struct EquationRow {
  const char* name;
  const char* model;
  // Accuracy and RMSE on the smaller set, then on the larger.
  std::array<Estimate, 4> paper;
};
constexpr std::size_t kTable2Columns = 4;
const std::array<EquationRow, 5> kTable2 = {
    {{"Bi-RNN", "bi-rnn", {{{0.6493, 0.0102}, {0.4736, 0.0032}, {0.6942, 0.0028}, {0.4492, 0.0009}}}},
     {"Bi-LSTM", "bi-lstm", {{{0.5933, 0.0107}, {0.5181, 0.0162}, {0.6847, 0.0051}, {0.4494, 0.0020}}}},
     {"CNN", "cnn", {{{0.6380, 0.0043}, {0.5085, 0.0158}, {0.6787, 0.0025}, {0.4557, 0.0016}}}},
     {"LINN−R_l", "linn-rl", {{{0.8353, 0.0043}, {0.3880, 0.0069}, {0.9173, 0.0042}, {0.2733, 0.0065}}}},
     {"LINN",
      "linn",
      {{{0.9440, 0.0064, true}, {0.2318, 0.0124, true}, {0.9559, 0.0006, true}, {0.2081, 0.0018, true}}}}}};
constexpr std::array<std::string_view, 2> kEquationSets = {kEquations1k, kEquations10k};

void plan_table_2(const ReproduceSetup& setup, ExperimentJobs& jobs) {
  for (const std::string_view set : kEquationSets) {
    for (const EquationRow& row : kTable2) jobs.add(equation_training(setup, set, row.model, "paper"));
    jobs.add(equation_training(setup, set, "linn", "authors"));
    jobs.add(equation_training(setup, set, "linn", "best"));
    jobs.add(exact_training(setup, set));
  }
}

void report_table_2(const ExperimentResults& results, ReportSection& section) {
  const ReproduceSetup& setup = results.setup();
  section.add_text(
      "Accuracy and root mean squared error on the test equations. First the models of the paper, as its text "
      "describes them (preset paper); then LINN as in the authors' program, LINN with the default settings of this "
      "program, and the exact reasoner, Bayesian inference by Gibbs sampling, which no model can beat by much.");
  Table table;
  table.corner = "model";
  table.columns = {{"accuracy", 4, "1,000 variables"},  {"RMSE", 4, "1,000 variables"},
                   {"variables", 4, "1,000 variables"}, {"accuracy", 4, "10,000 variables"},
                   {"RMSE", 4, "10,000 variables"},     {"variables", 4, "10,000 variables"}};
  const auto row_of = [&](const std::string& name, auto training_on) {
    Table::Row row;
    row.name = name;
    for (const std::string_view set : kEquationSets) {
      const Training training = training_on(set);
      row.cells.push_back(cell_of(results.figures(training, "/accuracy")));
      row.cells.push_back(cell_of(results.figures(training, "/rmse")));
      row.cells.push_back(cell_of(results.figures(training, "/accuracy", Printed::kSolve)));
    }
    return row;
  };
  for (const EquationRow& entry : kTable2) {
    Table::Row row = row_of(entry.name, [&](auto set) { return equation_training(setup, set, entry.model, "paper"); });
    row.rule_above = entry.name == std::string_view("LINN−R_l");
    for (std::size_t i = 0; i < kTable2Columns; ++i) row.cells[i / 2 * 3 + i % 2].paper = entry.paper[i];
    table.rows.push_back(std::move(row));
  }
  // Marked as in the paper: better than each of the others, once all of them have been run.
  for (std::size_t i = 0; i < kTable2Columns; ++i) {
    const std::string_view set = kEquationSets[i / 2];
    const std::string figure = i % 2 == 0 ? "/accuracy" : "/rmse";
    const Better better = i % 2 == 0 ? Better::kHigher : Better::kLower;
    const auto figures_of = [&](const char* model) {
      return results.figures_by_seed(equation_training(setup, set, model, "paper"), figure);
    };
    TableCell& cell = table.rows.back().cells[i / 2 * 3 + i % 2];
    bool ahead = cell.ours.has_value();
    for (const EquationRow& rival : kTable2) {
      if (rival.model == std::string_view("linn")) continue;
      ahead = ahead && better_over_seeds(figures_of("linn"), figures_of(rival.model), better);
    }
    if (ahead) cell.ours->marked = true;
  }
  table.rows.push_back(
      row_of("LINN, preset authors", [&](auto s) { return equation_training(setup, s, "linn", "authors"); }));
  table.rows.back().rule_above = true;
  table.rows.push_back(
      row_of("LINN, preset best", [&](auto s) { return equation_training(setup, s, "linn", "best"); }));
  table.rows.push_back(row_of("exact reasoner", [&](auto set) { return exact_training(setup, set); }));
  table.note =
      "* significantly better than each of the other models (p < 0.05, paired over seeds). Variables: the share of "
      "variables whose value is found; the paper reports 0.959 for one LINN on the smaller set.";
  section.add_table(table);
}

// Figure 2.

std::vector<double> equation_weights(const ReproduceSetup& setup, std::string_view set) {
  if (setup.quick) return {0.0, 0.01};
  // The larger set takes long, so only weights around the paper's.
  if (set == kEquations10k) return {0.0, 0.01, 0.1, 1.0};
  return {0.0, 1e-4, 1e-3, 1e-2, 0.1, 1.0};
}

// On the smaller set the paper's weight is that of the preset, so the training of Table 2 is reused. On the larger set
// the laws are applied to a share of the vectors: the expected loss is the same, and a run takes a fourth of the time.
Training equation_weight_training(const ReproduceSetup& setup, std::string_view set, double weight) {
  if (weight == 0.0) return equation_training(setup, set, "linn-rl", "paper");
  constexpr double kOfPreset = 0.01;
  Training training = equation_training(setup, set, "linn", "paper");
  if (set == kEquations10k) {
    training.settings = {fmt::format("laws={:g}", weight), "law_share=0.1"};
    training.cost /= 4.0;
  } else if (weight != kOfPreset) {
    training.settings = {fmt::format("laws={:g}", weight)};
  }
  return training;
}

void plan_figure_2(const ReproduceSetup& setup, ExperimentJobs& jobs) {
  for (const std::string_view set : kEquationSets) {
    for (const double weight : equation_weights(setup, set)) jobs.add(equation_weight_training(setup, set, weight));
  }
}

void report_figure_2(const ExperimentResults& results, ReportSection& section) {
  section.add_text(
      "Accuracy on the test equations against the weight λ of the laws (otherwise preset paper); λ = 0 is LINN−R_l. On "
      "the larger set the laws are applied to a random tenth of the vectors and scaled up. Error bars are standard "
      "errors over seeds.");
  Plot plot;
  plot.x = weight_axis("weight of the laws, λ", equation_weights(results.setup(), kEquations1k));
  plot.y.label = "accuracy";
  for (const std::string_view set : kEquationSets) {
    std::vector<SweepPoint> points;
    for (const double weight : equation_weights(results.setup(), set)) {
      points.push_back({weight, results.figures(equation_weight_training(results.setup(), set, weight), "/accuracy")});
    }
    // Zero has the same position for both sets, whatever their smallest weight.
    Series series = sweep_series(set == kEquations1k ? "1,000 variables" : "10,000 variables", points);
    if (!series.x.empty() && points.front().weight == 0.0 && !points.front().runs.empty()) {
      series.x.front() = plot.x.ticks.front().first;
    }
    plot.series.push_back(std::move(series));
  }
  section.add_figure(std::move(plot), "Accuracy against the weight of the laws");
}

// Figure 3.

// A quick reproduction has other snapshots, so it is another run.
std::string tsne_job(const ReproduceSetup& setup) { return setup.quick ? "figure-3-tsne-quick" : "figure-3-tsne"; }

std::vector<std::size_t> tsne_epochs(const ReproduceSetup& setup) {
  return setup.quick ? std::vector<std::size_t>{0, 2, 5, 20} : std::vector<std::size_t>{0, 5, 20, 50};
}

std::filesystem::path tsne_table(const ReproduceSetup& setup, std::size_t epoch) {
  return setup.folder / "runs" / tsne_job(setup) / fmt::format("tsne-{}.tsv", epoch);
}

void plan_figure_3(const ReproduceSetup& setup, ExperimentJobs& jobs) {
  const std::string truth = truth_file(setup.data / kEquations1k).string();
  if (truth.empty()) return;
  const std::filesystem::path run = setup.folder / "runs" / tsne_job(setup);
  const std::filesystem::path data = setup.data / kEquations1k;
  Job job;
  job.name = tsne_job(setup);
  job.cost = 60.0;
  std::string epochs;
  for (const std::size_t epoch : tsne_epochs(setup)) epochs += fmt::format("{}{}", epochs.empty() ? "" : ",", epoch);
  std::vector<std::string> train = {"train",  "equations",  "--data",      data.string(), "--preset",  "authors",
                                    "--seed", "1",          "--snapshots", epochs,        "--threads", "1",
                                    "--out",  run.string(), "--resume",    "--quiet",     "--json"};
  if (setup.quick) train.insert(train.end() - 1, {"--epochs", "20"});
  job.commands.push_back(std::move(train));
  for (const std::size_t epoch : tsne_epochs(setup)) {
    job.commands.push_back({"tsne", (run / "snapshots" / fmt::format("epoch-{}.safetensors", epoch)).string(),
                            "--truth", truth, "--out", tsne_table(setup, epoch).string(), "--threads", "1", "--json"});
  }
  job.commands.push_back({"solve", run.string(), "--by", "clusters", "--truth", truth, "--threads", "1", "--json"});
  jobs.add(std::move(job));
}

ScatterPlot tsne_plot(const std::filesystem::path& path) {
  ScatterPlot plot;
  plot.legend = {{"true", "#0072B2"}, {"false", "#D55E00"}};
  TableReader reader(path);
  const std::size_t x = reader.column({"x"});
  const std::size_t y = reader.column({"y"});
  const std::size_t value = reader.column({"value"});
  while (reader.next()) {
    if (reader.field(value).empty()) continue;
    plot.groups.push_back(reader.field(value) == "T" ? 0 : 1);
    plot.xy.insert(plot.xy.end(), {number_in(reader, x), number_in(reader, y)});
  }
  return plot;
}

void report_figure_3(const ExperimentResults& results, ReportSection& section) {
  const ReproduceSetup& setup = results.setup();
  section.add_text(
      "t-SNE of the vectors of the 1,000 variables at several epochs of training, coloured by their true values, which "
      "the model never sees.");
  const std::size_t last = tsne_epochs(setup).size() + 1;
  const auto& solved = results.output(tsne_job(setup), last);
  if (!solved.is_object()) {
    section.add_text("Not run.");
    return;
  }
  for (const std::size_t epoch : tsne_epochs(setup)) {
    section.add_figure(tsne_plot(tsne_table(setup, epoch)), fmt::format("t-SNE of the variables after epoch {}", epoch),
                       fmt::format("epoch {}", epoch), true);
  }
  section.add_text(fmt::format(
      "Split into two clusters, true and false, the vectors give the right value of {:.1f} % of the variables (paper: "
      "95.9 %).",
      100.0 * solved.at("accuracy").get<double>()));
}

constexpr std::array<Experiment, 5> kExperiments = {{
    {"figure-1", "Figure 1: the network of an expression", plan_nothing, report_figure_1},
    {"table-1", "Table 1: how well the trained model obeys the laws", plan_table_1, report_table_1},
    {"table-2", "Table 2: solving logical equations", plan_table_2, report_table_2},
    {"figure-2", "Figure 2: the weight of the laws, equations", plan_figure_2, report_figure_2},
    {"figure-3", "Figure 3: the vectors of the variables during training", plan_figure_3, report_figure_3},
}};

}  // namespace

std::span<const Experiment> equation_experiments() { return kExperiments; }

}  // namespace linn::app
