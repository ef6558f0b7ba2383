#include "app/reproduce/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "app/reproduce/cells.h"
#include "app/reproduce/job.h"
#include "linn/base/error.h"
#include "linn/base/scratch_folder.h"
#include "linn/model/run_config.h"
#include "linn/model/run_folder.h"

namespace linn::app {
namespace {

struct Run {
  std::filesystem::path path;
  std::size_t number = 0;  // from 1
  std::string name;        // in the report
  std::string task, model, data;
  RunConfig config;
  std::vector<Json> epochs;

  bool equations() const { return task == "equations"; }
  // What tells two sets of questions apart: a single file of equations is split by the seed of the run, and the items
  // that a held-out one is ranked among have a seed of their own.
  std::string question() const {
    if (!equations()) return fmt::format("{} {}", data, candidate_seed());
    if (!std::filesystem::is_regular_file(data)) return data;
    return fmt::format("{} {}", data, config.seed);
  }
  std::string candidate_seed() const {
    for (const auto& [option, value] : config.options) {
      if (option == "candidate_seed") return value;
    }
    return "0";
  }
  bool logic() const { return model == "linn" || model == "linn-rl"; }
  std::string job(const char* what) const { return fmt::format("{}-{}", what, number); }
};

std::string last_part(const std::filesystem::path& path) {
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

Run read_run(const std::filesystem::path& path) {
  const RunFolder folder = RunFolder::open(path);
  Run run;
  run.path = path;
  run.config = read_config(folder);
  run.task = run.config.task;
  run.model = run.config.model;
  run.data = run.config.data;
  for (const std::string& line : folder.metrics()) run.epochs.push_back(Json::parse(line, nullptr, false));
  return run;
}

// The last part of a path, or all of it where two runs share that.
void name_runs(std::vector<Run>& runs) {
  std::map<std::string, std::size_t> times;
  const auto short_name = [](const Run& run) { return last_part(run.path); };
  for (const Run& run : runs) ++times[short_name(run)];
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].number = i + 1;
    runs[i].name = short_name(runs[i]);
    if (times[runs[i].name] > 1) runs[i].name = runs[i].path.generic_string();
  }
}

std::vector<Job> jobs_of(const std::vector<Run>& runs, const std::filesystem::path& folder) {
  std::vector<Job> jobs;
  const auto add = [&](const Run& run, const char* what, std::vector<std::string> further = {}) {
    std::vector<std::string> words = {what, run.path.string()};
    words.insert(words.end(), further.begin(), further.end());
    words.insert(words.end(), {"--threads", "1", "--json"});
    jobs.push_back({run.job(what), {std::move(words)}});
  };
  for (const Run& run : runs) {
    add(run, "evaluate");
    if (!run.logic()) continue;
    if (run.equations()) {
      add(run, "audit");
    } else {
      add(run, "cooccur", {"--out", (folder / (run.job("cooccur") + ".csv")).string()});
    }
  }
  return jobs;
}

struct Measure {
  const char* name;
  const char* key;
};

// What `linn evaluate` says of a measure, with its standard error over users where it tells, or over equations.
TableCell figure_of(const Json& output, const char* key) {
  TableCell cell;
  if (!output.contains(key) || !output[key].is_number()) return cell;
  const double value = output[key].get<double>();
  cell.ours = Estimate{value};
  cell.runs = 1;
  if (output.contains("standard_error")) cell.ours->error = output["standard_error"].value(key, 0.0);
  if (key == std::string_view("accuracy"))
    cell.ours->error = std::sqrt(value * (1.0 - value) / output.value("count", 1.0));
  return cell;
}

// A table for each set of questions, so that only runs that were asked the same stand beside each other.
Table results_on(const std::string& question, const std::vector<Run>& runs, const JobResults& results, bool equations) {
  const std::vector<Measure> measures =
      equations
          ? std::vector<Measure>{{"accuracy", "accuracy"},
                                 {"RMSE", "rmse"},
                                 {"log loss", "log_loss"},
                                 {"calibration error", "calibration_error"}}
          : std::vector<Measure>{{"nDCG@10", "ndcg@10"}, {"Hit@1", "hit@1"}, {"Hit@10", "hit@10"}, {"MRR", "mrr"}};
  Table table;
  table.corner = "run";
  table.columns.push_back({"model", 0, ""});
  for (const Measure& measure : measures) table.columns.push_back({measure.name, 4, ""});
  table.columns.push_back({"epochs", 0, ""});
  for (const Run& run : runs) {
    if (run.equations() != equations || run.question() != question) continue;
    const Json& output = results.of(run.job("evaluate"));
    if (!output.is_object()) continue;
    table.caption = equations ? fmt::format("{}: {} test equations", last_part(run.data), output.value("count", 0))
                              : fmt::format("{}: {} held-out likes, each among {} items that the user never liked",
                                            last_part(run.data), output.value("count", 0),
                                            output.value("candidates", Json(0)).dump());
    Table::Row row;
    row.name = run.name;
    TableCell model;
    model.text = run.model;
    row.cells.push_back(model);
    for (const Measure& measure : measures) {
      row.cells.push_back(figure_of(output, measure.key));
    }
    row.cells.push_back(run.epochs.empty() ? TableCell() : cell_of({static_cast<double>(run.epochs.size())}));
    table.rows.push_back(std::move(row));
  }
  for (std::size_t column = 1; column < table.columns.size() - 1; ++column) {
    const bool lower = equations && column > 1;
    emphasize_best(table, column, lower ? Better::kLower : Better::kHigher);
  }
  table.note = "± is the standard error over what was asked; bold is the best of a column, by however little.";
  return table;
}

void add_results(const std::vector<Run>& runs, const JobResults& results, bool equations, Report& report) {
  ReportSection section(equations ? "equations" : "recommendation",
                        equations ? "Test equations: how often right" : "Held-out likes: how well ranked");
  std::set<std::string> questions;
  for (const Run& run : runs) {
    if (run.equations() != equations) continue;
    if (results.of(run.job("evaluate")).is_object()) section.add_command(command_line({"evaluate", run.path.string()}));
    if (!questions.insert(run.question()).second) continue;
    const Table table = results_on(run.question(), runs, results, equations);
    if (!table.rows.empty()) section.add_table(table);
  }
  if (!questions.empty()) report.add_section(std::move(section));
}

void add_curves(const std::vector<Run>& runs, bool equations, Report& report) {
  Plot plot;
  plot.x.label = "epoch";
  plot.y.label = equations ? "validation accuracy" : "validation nDCG@10";
  for (const Run& run : runs) {
    if (run.equations() != equations) continue;
    std::vector<double> values;
    for (const Json& epoch : run.epochs) {
      const Json::json_pointer place(equations ? "/validation/accuracy" : "/validation/ndcg@10");
      if (epoch.is_object() && epoch.contains(place) && epoch[place].is_number()) values.push_back(epoch[place]);
    }
    if (!values.empty()) plot.series.push_back(epoch_series(run.name, std::move(values)));
  }
  if (plot.series.empty()) return;
  ReportSection section(equations ? "equation-training" : "recommend-training",
                        equations ? "How training on equations went" : "How training on likes and dislikes went");
  section.add_figure(std::move(plot), "What validation data says after each epoch",
                     "What validation data says after each epoch.");
  for (const Run& run : runs) {
    if (run.equations() != equations || run.epochs.empty()) continue;
    section.add_command(command_line({"train", run.task, "--data", run.data, "--model", run.model, "--config",
                                      (run.path / "config.json").string(), "--seed",
                                      fmt::format("{}", run.config.seed), "--out", "NEW"}));
  }
  report.add_section(std::move(section));
}

void add_laws(const Run& run, const JobResults& results, Report& report) {
  const Json& audit = results.of(run.job("audit"));
  if (!audit.is_object()) return;
  Table table;
  table.corner = "law";
  table.columns = {{"formula", 0, ""}, {"variables", 3, "obeyed by"}, {"expressions", 3, "obeyed by"}};
  table.rows = law_rows(audit);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    for (const char* what : {"variables", "expressions"}) {
      const Json& figures = audit.at("laws").at(i).at(what);
      table.rows[i].cells.push_back(figures.is_object() ? cell_of({figures.at("agreement").get<double>()})
                                                        : TableCell());
    }
  }
  table.note = "The share of cases that obey the law. The laws below the line were never taught.";
  ReportSection section(fmt::format("laws-{}", run.number), fmt::format("Laws of logic: {}", run.name));
  section.add_table(table);
  section.add_command(command_line({"audit", run.path.string()}));
  report.add_section(std::move(section));
}

void add_map(const Run& run, const JobResults& results, Report& report) {
  const Json& map = results.of(run.job("cooccur"));
  if (!map.is_object()) return;
  ReportSection section(fmt::format("together-{}", run.number), fmt::format("Items that go together: {}", run.name));
  section.add_text(
      "Sim(row ∧ column, T): how true the model thinks “likes the row's item, and the column's item next”. It was "
      "taught to "
      "rank, so this is no probability, and neither symmetric nor true on the diagonal. Items from popular to rare.");
  section.add_figure(cooccurrence_plot(map), "Heat map of how true it is that both items are liked",
                     "Columns have the numbers of the rows; in brackets, how many users met the item in training.");
  section.add_command(command_line({"cooccur", run.path.string(), "--out", "map.svg"}));
  report.add_section(std::move(section));
}

}  // namespace

Report report_of_runs(const std::vector<std::filesystem::path>& paths, std::size_t at_a_time,
                      const std::function<bool()>& stop) {
  std::vector<Run> runs;
  for (const auto& path : paths) runs.push_back(read_run(path));
  name_runs(runs);

  const ScratchFolder scratch;
  JobResults results;
  const std::vector<Job> jobs = jobs_of(runs, scratch.path());
  const std::size_t results_asked = jobs.size();
  const JobsReport outcome = run_jobs(
      jobs, scratch.path(), at_a_time, results, [](const JobsProgress&) {}, stop);
  if (!outcome.finished) throw Failure("stopped before the runs had been asked");

  Report report("What linn has learned", fmt::format("{} {}", runs.size(), runs.size() == 1 ? "run" : "runs"));
  // A run may have nothing to be asked, such as a few equations that were all learned from; the others are shown.
  for (const JobFailure& failure : outcome.failures) {
    const auto run =
        std::ranges::find_if(runs, [&](const Run& r) { return failure.job.ends_with(fmt::format("-{}", r.number)); });
    if (outcome.failures.size() == results_asked) throw Failure(failure.complaint);
    report.add_fact("Left out", fmt::format("{}: {}", run->name, failure.complaint));
  }
  for (const bool equations : {true, false}) {
    add_results(runs, results, equations, report);
    add_curves(runs, equations, report);
    for (const Run& run : runs) {
      if (!run.logic() || run.equations() != equations) continue;
      if (equations) {
        add_laws(run, results, report);
      } else {
        add_map(run, results, report);
      }
    }
  }
  return report;
}

}  // namespace linn::app
