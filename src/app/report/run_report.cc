#include "app/report/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "app/evaluate/audit_run.h"
#include "app/evaluate/cooccurrence_of_run.h"
#include "app/evaluate/evaluate_run.h"
#include "app/process/command_line.h"
#include "app/report/cells.h"
#include "linn/base/error.h"
#include "linn/model/run_config.h"
#include "linn/model/run_folder.h"

namespace linn::app {
namespace {

struct Run {
  std::filesystem::path path;
  std::size_t number = 0;  // from 1
  std::string name;        // in the report
  RunConfig config;
  std::vector<Json> epochs;
  std::optional<RunEvaluation> evaluation;
  std::optional<RunAudit> audit;                // LINN, equations
  std::optional<RunCooccurrence> cooccurrence;  // LINN, recommendation

  bool equations() const { return config.task == kEquationTask; }
  std::string candidate_seed() const {
    for (const auto& [option, value] : config.options) {
      if (option == "candidate_seed") return value;
    }
    return "0";
  }
  // Identifies the test set: a single file of equations is split by the seed of the run, and the candidates of a
  // recommender have a seed of their own.
  std::string test_set() const {
    std::string data = config.data;
    for (const RunConfig::Source& source : config.earlier_data) data += fmt::format(" {} {}", source.data, source.seed);
    if (!equations()) return fmt::format("{} {}", data, candidate_seed());
    if (!std::filesystem::is_regular_file(config.data)) return data;
    return fmt::format("{} {}", data, config.seed);
  }
};

std::string last_part(const std::filesystem::path& path) {
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

Run read_run(const std::filesystem::path& path) {
  const RunFolder folder = RunFolder::open(path);
  Run run;
  run.path = path;
  run.config = read_config(folder);
  for (const std::string& line : folder.metrics()) run.epochs.push_back(parse_json(line));
  return run;
}

// Names each run by the last part of its path, or by the whole path if that is ambiguous.
void name_runs(std::vector<Run>& runs) {
  std::map<std::string, std::size_t> times;
  for (const Run& run : runs) ++times[last_part(run.path)];
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].number = i + 1;
    runs[i].name = last_part(runs[i].path);
    if (times[runs[i].name] > 1) runs[i].name = runs[i].path.generic_string();
  }
}

// Computes what the report shows of the runs. Lists what failed as left out.
void evaluate_runs(std::vector<Run>& runs, ThreadPool& threads, const std::function<bool()>& stop, Report& report) {
  bool any = false;
  std::vector<std::string> failures;
  // `compute` returns whether there is something to show.
  const auto attempt = [&](const Run& run, const auto& compute) {
    if (stop()) throw Failure("stopped before all runs were evaluated");
    try {
      any = compute() || any;
    } catch (const std::exception& error) {
      const std::string failure = fmt::format("{}: {}", run.name, error.what());
      if (std::ranges::find(failures, failure) != failures.end()) return;
      failures.push_back(failure);
      report.add_fact("Left out", failure);
    }
  };
  for (Run& run : runs) {
    const std::string path = run.path.string();
    attempt(run, [&] {
      EvaluateOptions options;
      options.run = path;
      run.evaluation = evaluate_run(options, threads);
      return true;
    });
    attempt(run, [&] {
      if (run.equations()) {
        AuditOptions options;
        options.run = path;
        run.audit = audit_run(options, threads);
      } else {
        run.cooccurrence = cooccurrence_of_run({path}, threads);
      }
      return run.audit.has_value() || run.cooccurrence.has_value();
    });
  }
  if (stop()) throw Failure("stopped before the report was written");
  if (!any && !failures.empty()) throw Failure(failures.front());
}

struct MeasuredValue {
  std::string name;
  Better better = Better::kHigher;
  TableCell cell;
};

MeasuredValue measured(const char* name, Better better, double value, std::optional<double> error = std::nullopt) {
  MeasuredValue result{name, better, {}};
  result.cell.ours = Estimate{value, error};
  result.cell.runs = 1;
  return result;
}

std::vector<MeasuredValue> values_of(const EquationMetrics& metrics) {
  const double error = std::sqrt(metrics.accuracy * (1.0 - metrics.accuracy) / static_cast<double>(metrics.count));
  return {measured("accuracy", Better::kHigher, metrics.accuracy, error),
          measured("RMSE", Better::kLower, metrics.rmse), measured("log loss", Better::kLower, metrics.log_loss),
          measured("calibration error", Better::kLower, metrics.calibration_error)};
}

std::vector<MeasuredValue> values_of(const RankingEvaluation& evaluation) {
  std::vector<MeasuredValue> result;
  const auto add = [&](const char* name, const auto& measure) {
    std::vector<double> values;
    for (const Ranking& ranking : evaluation.held_out.rankings) values.push_back(measure(ranking));
    const MeanAndError mean = mean_and_error(values);
    result.push_back(measured(name, Better::kHigher, mean.mean, mean.error));
  };
  add("nDCG@10", [](const Ranking& ranking) { return ndcg_at(ranking, 10); });
  add("Hit@1", [](const Ranking& ranking) { return hit_at(ranking, 1); });
  add("Hit@10", [](const Ranking& ranking) { return hit_at(ranking, 10); });
  add("MRR", reciprocal_rank);
  return result;
}

std::string caption_of(const Run& run) {
  if (const auto* metrics = std::get_if<EquationMetrics>(&*run.evaluation)) {
    return fmt::format("{}: {} test equations", last_part(run.config.data), metrics->count);
  }
  const auto& held_out = std::get<RankingEvaluation>(*run.evaluation).held_out;
  return fmt::format("{}: {} held-out likes, each ranked among {} items that the user never liked",
                     last_part(run.config.data), held_out.rankings.size(), held_out.candidates);
}

// One table per test set, so that only comparable runs stand side by side.
Table results_on(const std::string& test_set, const std::vector<Run>& runs) {
  Table table;
  table.corner = "run";
  table.columns.push_back({"model", 0, ""});
  std::vector<Better> better;
  for (const Run& run : runs) {
    if (!run.evaluation || run.test_set() != test_set) continue;
    const auto values = std::visit([](const auto& evaluation) { return values_of(evaluation); }, *run.evaluation);
    if (table.rows.empty()) {
      table.caption = caption_of(run);
      for (const MeasuredValue& value : values) {
        table.columns.push_back({value.name, 4, ""});
        better.push_back(value.better);
      }
    }
    Table::Row row;
    row.name = run.name;
    TableCell model;
    model.text = run.config.model;
    row.cells.push_back(model);
    for (const MeasuredValue& value : values) row.cells.push_back(value.cell);
    row.cells.push_back(run.epochs.empty() ? TableCell() : cell_of({static_cast<double>(run.epochs.size())}));
    table.rows.push_back(std::move(row));
  }
  table.columns.push_back({"epochs", 0, ""});
  for (std::size_t i = 0; i < better.size(); ++i) emphasize_best(table, i + 1, better[i]);
  table.note =
      "± is the standard error over the test set. The best value of each column is bold, however small its lead.";
  return table;
}

void add_results(const std::vector<Run>& runs, bool equations, Report& report) {
  ReportSection section(equations ? "equations" : "recommendation",
                        equations ? "Accuracy on test equations" : "Ranking of held-out likes");
  std::set<std::string> test_sets;
  for (const Run& run : runs) {
    if (run.equations() != equations) continue;
    if (run.evaluation) section.add_command(command_line({"evaluate", run.path.string()}));
    if (!test_sets.insert(run.test_set()).second) continue;
    const Table table = results_on(run.test_set(), runs);
    if (!table.rows.empty()) section.add_table(table);
  }
  if (!test_sets.empty()) report.add_section(std::move(section));
}

void add_curves(const std::vector<Run>& runs, bool equations, Report& report) {
  Plot plot;
  plot.x.label = "epoch";
  plot.y.label = equations ? "validation accuracy" : "validation nDCG@10";
  const Json::json_pointer place(equations ? "/validation/accuracy" : "/validation/ndcg@10");
  for (const Run& run : runs) {
    if (run.equations() != equations) continue;
    std::vector<double> values;
    for (const Json& epoch : run.epochs) {
      if (epoch.is_object() && epoch.contains(place) && epoch[place].is_number()) values.push_back(epoch[place]);
    }
    if (!values.empty()) plot.series.push_back(epoch_series(run.name, std::move(values)));
  }
  if (plot.series.empty()) return;
  ReportSection section(equations ? "equation-training" : "recommend-training",
                        equations ? "Training on equations" : "Training on likes and dislikes");
  section.add_figure(std::move(plot), "Validation metric after each epoch", "The validation metric after each epoch.");
  for (const Run& run : runs) {
    if (run.equations() != equations || run.epochs.empty()) continue;
    const bool continued = !run.config.from.empty();
    section.add_command(
        command_line({"train", run.config.task, "--data", run.config.data, continued ? "--from" : "--model",
                      continued ? run.config.from : run.config.model, "--config", (run.path / "config.json").string(),
                      "--seed", fmt::format("{}", run.config.seed), "--out", "NEW"}));
  }
  report.add_section(std::move(section));
}

void add_laws(const Run& run, Report& report) {
  if (!run.audit) return;
  Table table;
  table.corner = "law";
  table.columns = {{"formula", 0, ""}, {"variables", 3, "agreement on"}, {"expressions", 3, "agreement on"}};
  table.rows = law_rows();
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const LawAudit& law = run.audit->laws[i];
    for (const AuditFigures& figures : {law.variables, law.expressions}) {
      table.rows[i].cells.push_back(figures.cases > 0 ? cell_of({figures.agreement}) : TableCell());
    }
  }
  table.note = "The share of cases that obey the law. The laws below the line were never taught.";
  ReportSection section(fmt::format("laws-{}", run.number), fmt::format("Laws of logic: {}", run.name));
  section.add_table(table);
  section.add_command(command_line({"audit", run.path.string()}));
  report.add_section(std::move(section));
}

void add_map(const Run& run, Report& report) {
  if (!run.cooccurrence) return;
  ReportSection section(fmt::format("together-{}", run.number), fmt::format("Items liked together: {}", run.name));
  section.add_text(
      "Sim(row ∧ column, T): how true the model considers “likes the item of the row, and next the item of the "
      "column”. The model is trained to rank, so these values are not probabilities: they need not be symmetric, or "
      "high on the diagonal. Items are sorted from popular to rare.");
  section.add_figure(heat_map(*run.cooccurrence), "Heat map of how true it is that both items are liked",
                     "Columns have the numbers of the rows. In brackets: how many users rated the item in training.");
  section.add_command(command_line({"cooccur", run.path.string(), "--out", "map.svg"}));
  report.add_section(std::move(section));
}

}  // namespace

Report report_of_runs(const std::vector<std::filesystem::path>& paths, ThreadPool& threads,
                      const std::function<bool()>& stop) {
  std::vector<Run> runs;
  for (const auto& path : paths) runs.push_back(read_run(path));
  name_runs(runs);
  Report report("What linn has learned", fmt::format("{} {}", runs.size(), runs.size() == 1 ? "run" : "runs"));
  evaluate_runs(runs, threads, stop, report);
  for (const bool equations : {true, false}) {
    add_results(runs, equations, report);
    add_curves(runs, equations, report);
    for (const Run& run : runs) {
      if (run.equations() != equations) continue;
      add_laws(run, report);
      add_map(run, report);
    }
  }
  return report;
}

}  // namespace linn::app
