// Experiments that are not in the paper: current baselines, label noise, the two forms of a recommendation, the quality
// of explanations, convergence, and speed.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/report/cells.h"
#include "app/reproduce/equation_trainings.h"
#include "app/reproduce/experiment.h"
#include "app/reproduce/recommend_trainings.h"
#include "linn/metrics/paired_test.h"

namespace linn::app {
namespace {

// Current baselines.

struct ModernRow {
  const char* name;
  const char* model;
  std::vector<std::string> settings = {};
  bool rule_above = false;
};
const std::vector<ModernRow>& modern_rows() {
  static const std::vector<ModernRow> kRows = {{"popularity", "popularity"},
                                               {"item-kNN", "itemknn"},
                                               {"EASE", "ease"},
                                               {"BPRMF", "bprmf", {}, true},
                                               {"SVD++", "svdpp"},
                                               {"STAMP", "stamp"},
                                               {"GRU4Rec", "gru4rec"},
                                               {"NARM", "narm"},
                                               {"SASRec", "sasrec"},
                                               {"LINN", "linn", {}, true},
                                               {"LINN−R_l", "linn-rl"},
                                               {"LINN without dislikes", "linn", {"dislikes=none"}},
                                               {"LINN, DNF", "linn", {"form=dnf"}}};
  return kRows;
}

Training modern_training(const ReproduceSetup& setup, const ModernRow& row) {
  return recommend_training(setup, kMovieLens, row.model, "best", row.settings);
}

void plan_modern(const ReproduceSetup& setup, ExperimentJobs& jobs) {
  for (const ModernRow& row : modern_rows()) jobs.add(modern_training(setup, row));
}

void report_modern(const ExperimentResults& results, ReportSection& section) {
  const ReproduceSetup& setup = results.setup();
  section.add_text(
      "ML-100k with the default settings of this program (preset best), the same candidates and the same early "
      "stopping for all models. LINN learns from whole histories with a softmax over all items; the others learn from "
      "single likes with a softmax over sampled negatives (30; LINN in DNF 10), which suits them better on this data. "
      "The settings of the baselines come from a search of nine trials each on validation data, those of LINN from "
      "validation data of five sets; those of LINN in DNF, which has vectors of users, were chosen by hand in sixteen "
      "runs on this data. Only LINN reads dislikes.");
  Table table;
  table.corner = "model";
  table.columns = {{"nDCG@10", 4, ""},
                   {"Hit@1", 4, ""},
                   {"Hit@10", 4, ""},
                   {"MRR", 4, ""},
                   {"s/epoch", 2, ""},
                   {"best epoch", 0, ""},
                   {"LINN's lead in nDCG@10, paired over users", 4, ""}};
  const auto linn = results.user_figures(recommend_training(setup, kMovieLens, "linn", "best"), "ndcg@10");
  for (const ModernRow& entry : modern_rows()) {
    const Training training = modern_training(setup, entry);
    Table::Row row;
    row.name = entry.name;
    row.rule_above = entry.rule_above;
    for (const char* pointer : {"/ndcg@10", "/hit@1", "/hit@10", "/mrr"}) {
      row.cells.push_back(cell_of(results.figures(training, pointer)));
    }
    row.cells.push_back(median_cell_of(results.figures(training, "/seconds_per_epoch")));
    row.cells.push_back(cell_of(results.figures(training, "/epoch")));
    TableCell lead;
    const auto theirs = results.user_figures(training, "ndcg@10");
    if (!linn.empty() && !theirs.empty() && entry.name != std::string_view("LINN")) {
      const PairedTest test = lead_over_users(linn, theirs);
      lead.text = fmt::format("{:+.4f} [{:+.4f}, {:+.4f}]", test.difference, test.low, test.high);
    }
    row.cells.push_back(lead);
    table.rows.push_back(std::move(row));
  }
  for (std::size_t column = 0; column < 4; ++column) emphasize_best(table, column, Better::kHigher);
  table.note = "In brackets: the 95 % confidence interval of the lead. s/epoch: median over seeds, on one core.";
  section.add_table(table);
}

// Label noise.

constexpr std::array<double, 5> kNoise = {0.0, 0.02, 0.05, 0.1, 0.2};

void plan_noise(const ReproduceSetup& setup, ExperimentJobs& jobs) {
  for (const double noise : kNoise) {
    if (setup.quick && noise != 0.0 && noise != 0.1) continue;
    for (const char* model : {"linn", "exact"}) jobs.add(noisy_training(setup, noise, model));
  }
}

void report_noise(const ExperimentResults& results, ReportSection& section) {
  section.add_text(
      "Generated equations over 1,000 variables: 2,400 for training, with label noise, and 4,000 with correct labels "
      "for testing; new equations for every seed. The limit is the exact reasoner, which knows the share of wrong "
      "labels. A SAT solver has no answer once wrong labels contradict correct ones.");
  Plot plot;
  plot.x.label = "label noise (share of wrong training labels)";
  plot.y.label = "accuracy";
  Table table;
  table.corner = "label noise";
  table.columns = {{"LINN", 4, "accuracy"}, {"exact", 4, "accuracy"}, {"LINN", 4, "RMSE"}, {"exact", 4, "RMSE"}};
  const std::array<const char*, 2> models = {"linn", "exact"};
  std::array<std::vector<SweepPoint>, 2> points;
  for (const double noise : kNoise) {
    Table::Row row;
    row.name = fmt::format("{:g} %", 100.0 * noise);
    const auto figures = [&](const char* model, const char* pointer) {
      return results.figures(noisy_training(results.setup(), noise, model), pointer);
    };
    for (std::size_t i = 0; i < models.size(); ++i) {
      points[i].push_back({noise, figures(models[i], "/accuracy")});
      row.cells.push_back(cell_of(points[i].back().runs));
    }
    for (const char* model : models) row.cells.push_back(cell_of(figures(model, "/rmse")));
    if (row.cells[0].ours || row.cells[1].ours) table.rows.push_back(std::move(row));
  }
  plot.series = {mean_series("LINN, preset best", points[0]), mean_series("exact reasoner", points[1])};
  plot.series[1].dashed = true;
  section.add_table(table);
  section.add_figure(std::move(plot), "Accuracy against label noise");
}

// Forms of a recommendation.

const std::array<std::pair<const char*, std::vector<std::string>>, 2>& forms() {
  static const std::array<std::pair<const char*, std::vector<std::string>>, 2> kForms = {
      {{"DNF, (h₁ ∧ t) ∨ … ∨ (h_k ∧ t)", {}}, {"factored, (h₁ ∨ … ∨ h_k) ∧ t", {"form=factored"}}}};
  return kForms;
}

void plan_forms(const ReproduceSetup& setup, ExperimentJobs& jobs) {
  for (const auto& [name, settings] : forms())
    jobs.add(recommend_training(setup, kMovieLens, "linn", "paper", settings));
}

void report_forms(const ExperimentResults& results, ReportSection& section) {
  section.add_text(
      "The paper's text conjoins every past item with the target; the authors' program factors the target out, which "
      "is logically equivalent and far cheaper. ML-100k, otherwise preset paper.");
  Table table;
  table.corner = "form";
  table.columns = {{"nDCG@10", 4, ""}, {"Hit@1", 4, ""}, {"s/epoch", 2, ""}};
  for (const auto& [name, settings] : forms()) {
    const Training training = recommend_training(results.setup(), kMovieLens, "linn", "paper", settings);
    table.rows.push_back({name,
                          {cell_of(results.figures(training, "/ndcg@10")), cell_of(results.figures(training, "/hit@1")),
                           median_cell_of(results.figures(training, "/seconds_per_epoch"))}});
  }
  section.add_table(table);
}

// Explanations.

void plan_explanations(const ReproduceSetup& setup, ExperimentJobs& jobs) {
  jobs.add(rules_training(setup));
  jobs.add(recommend_training(setup, kMovieLens, "linn", "best"));
}

void report_explanations(const ExperimentResults& results, ReportSection& section) {
  const Training rules = rules_training(results.setup());
  const Training movies = recommend_training(results.setup(), kMovieLens, "linn", "best");
  section.add_text(
      "Generated users follow hidden rules, so the causes of their likes are known. The table shows, for likes caused "
      "by a rule with an item of the rule in the history, how often the first reason is such an item.");
  Table right;
  right.corner = "method";
  right.columns = {{"correct", 4, ""}};
  for (const auto& [name, key] :
       {std::pair("LINN: greatest drop of the lead over other items without it", "first_reason_hits"),
        std::pair("LINN: greatest Sim(h ∧ t, T)", "greatest_weight_hits"),
        std::pair("co-occurrence counts", "cooccurrence_hits"), std::pair("chance", "chance_hits")}) {
    right.rows.push_back(
        {name, {cell_of(results.figures(rules, fmt::format("/explanations/{}", key), Printed::kRank))}});
  }
  section.add_table(right);
  section.add_text("How much the score of a held-out like falls when an event is removed from the history:");
  Table drop;
  drop.corner = "removed event";
  drop.columns = {{"generated users", 4, ""}, {"ML-100k", 4, ""}};
  drop.rows = {{"first reason", {}}, {"random event", {}}, {"difference per run", {}}};
  for (const Training& training : {rules, movies}) {
    const auto first = results.figures(training, "/explanations/drop_without_first_reason", Printed::kRank);
    const auto random = results.figures(training, "/explanations/drop_without_random_event", Printed::kRank);
    std::vector<double> difference;
    for (std::size_t run = 0; run < std::min(first.size(), random.size()); ++run) {
      difference.push_back(first[run] - random[run]);
    }
    drop.rows[0].cells.push_back(cell_of(first));
    drop.rows[1].cells.push_back(cell_of(random));
    drop.rows[2].cells.push_back(cell_of(difference));
  }
  section.add_table(drop);
}

// Convergence.

const std::vector<std::pair<const char*, const char*>>& convergence_models() {
  static const std::vector<std::pair<const char*, const char*>> kModels = {{"BPRMF", "bprmf"},     {"STAMP", "stamp"},
                                                                           {"GRU4Rec", "gru4rec"}, {"NARM", "narm"},
                                                                           {"SASRec", "sasrec"},   {"LINN", "linn"}};
  return kModels;
}

void plan_convergence(const ReproduceSetup& setup, ExperimentJobs& jobs) {
  for (const char* preset : {"paper", "authors"}) jobs.add(equation_training(setup, kEquations1k, "linn", preset));
  jobs.add(equation_training(setup, kEquations1k, "linn-rl", "paper"));
  for (const auto& [name, model] : convergence_models()) jobs.add(recommend_training(setup, kMovieLens, model, "best"));
}

void report_convergence(const ExperimentResults& results, ReportSection& section) {
  const ReproduceSetup& setup = results.setup();
  section.add_text(
      "The validation metric after each epoch, averaged over the seeds, up to the last epoch that all of them have.");
  Plot equations;
  equations.x.label = "epoch";
  equations.y.label = "validation accuracy";
  const auto add = [&](const char* name, const Training& training) {
    equations.series.push_back(epoch_series(name, results.epoch_figures(training, "/validation/accuracy")));
  };
  add("LINN, preset paper", equation_training(setup, kEquations1k, "linn", "paper"));
  add("LINN, preset authors", equation_training(setup, kEquations1k, "linn", "authors"));
  add("LINN−R_l, preset paper", equation_training(setup, kEquations1k, "linn-rl", "paper"));
  section.add_figure(std::move(equations), "Validation accuracy on equations-1k against the epoch", "equations-1k");
  Plot ranking;
  ranking.x.label = "epoch";
  ranking.y.label = "validation nDCG@10";
  for (const auto& [name, model] : convergence_models()) {
    ranking.series.push_back(epoch_series(
        name, results.epoch_figures(recommend_training(setup, kMovieLens, model, "best"), "/validation/ndcg@10")));
  }
  section.add_figure(std::move(ranking), "Validation nDCG@10 on ML-100k against the epoch", "ML-100k, preset best");
}

// Speed.

constexpr const char* kBenchJob = "speed-bench";

void plan_speed(const ReproduceSetup& /*setup*/, ExperimentJobs& jobs) {
  Job job;
  job.name = kBenchJob;
  job.commands = {{"bench", "--quick", "--json"}};
  job.cost = 20.0;
  job.alone = true;
  jobs.add(std::move(job));
}

void report_speed(const ExperimentResults& results, ReportSection& section) {
  const auto& bench = results.output(kBenchJob, 0);
  if (!bench.is_object()) {
    section.add_text("Not run.");
    return;
  }
  section.add_text(
      fmt::format("A training step with all ten laws (preset authors, d = 64) and a recommendation from 63,001 items, "
                  "relative to the "
                  "matrix-product peak of this machine in the same run: {:.0f} GFLOP/s on {} threads, {:.0f} on one.",
                  bench.at("peak_gflops").get<double>(), bench.at("threads").get<std::size_t>(),
                  bench.at("peak_gflops_one_thread").get<double>()));
  Table table;
  table.corner = "case";
  table.columns = {{"form", 0, ""}, {"threads", 0, ""}, {"ms", 2, ""}, {"share of peak", 2, ""}};
  for (const auto& entry : bench.at("cases")) {
    TableCell form;
    form.text = entry.at("form").get<std::string>();
    table.rows.push_back(
        {entry.at("name").get<std::string>(),
         {form, cell_of({entry.at("threads").get<double>()}), cell_of({1000.0 * entry.at("seconds").get<double>()}),
          cell_of({entry.at("ratio").get<double>()})}});
  }
  section.add_table(table);
}

constexpr std::array<Experiment, 6> kExperiments = {{
    {"modern", "Current baselines with the same loss", plan_modern, report_modern},
    {"noise", "Label noise, compared with the exact reasoner", plan_noise, report_noise},
    {"forms", "DNF and factored form", plan_forms, report_forms},
    {"explanations", "Are the explanations correct?", plan_explanations, report_explanations},
    {"convergence", "Convergence", plan_convergence, report_convergence},
    {"speed", "Speed relative to the machine's peak", plan_speed, report_speed},
}};

}  // namespace

std::span<const Experiment> further_experiments() { return kExperiments; }

}  // namespace linn::app
