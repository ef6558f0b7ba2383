// linn audit: how well a trained LINN obeys the laws of logic.
#include <fmt/format.h>

#include <memory>

#include "app/cli/evaluation_options.h"
#include "app/cli/program.h"
#include "app/evaluate/audit_run.h"
#include "linn/base/error.h"

namespace linn::app {
namespace {

struct Audit {
  AuditOptions options;
  std::size_t threads = 0;
};

std::string figures_to_text(const AuditFigures& figures) {
  if (figures.cases == 0) return fmt::format("{:>8}{:>8}{:>8}", "-", "-", "-");
  return fmt::format("{:8.3f}{:8.3f}{:8.3f}", figures.similarity, figures.agreement, figures.difference);
}

void print_audit(const RunAudit& audit) {
  fmt::print("{:<20}{:<36}{:^24}  {:^24}\n", "", "", "variables", fmt::format("{} expressions", audit.expressions));
  const std::string heads = fmt::format("{:>8}{:>8}{:>8}", "sim", "agree", "|dp|");
  fmt::print("{:<20}{:<36}{}  {}\n", "law", "", heads, heads);
  bool taught = true;
  for (const LawAudit& entry : audit.laws) {
    const AuditLaw& law = *entry.law;
    if (taught && !law.taught) fmt::print("never taught\n");
    taught = law.taught;
    const std::string sides = fmt::format("{} {} {}", law.left, law.differ ? "!=" : "=", law.right);
    fmt::print("{:<20}{:<36}{}  {}\n", law.name, sides, figures_to_text(entry.variables),
               figures_to_text(entry.expressions));
  }
}

void run(const Audit& audit, const Program& program) {
  AuditOptions options = audit.options;
  options.seed = program.seed;
  ThreadPool threads(audit.threads);
  const std::optional<RunAudit> result = audit_run(options, threads);
  if (!result) throw InputError("audit needs a LINN, and this run has another model", Place{options.run, 0, 0});
  if (program.json) {
    print_json(to_json(*result));
  } else {
    print_audit(*result);
  }
}

}  // namespace

void add_audit_command(CLI::App& app, Program& program) {
  CLI::App* command = app.add_subcommand("audit", "Measure how well a trained LINN obeys the laws of logic");
  auto audit = std::make_shared<Audit>();
  add_run_argument(*command, audit->options.run);
  add_threads_option(*command, audit->threads);
  add_json_option(*command, program);
  add_data_options(*command, audit->options.selection, true);
  add_whole_number(*command, "--cases", audit->options.cases, "Random cases per law, at most", 1, 1'000'000);
  add_seed_option(*command, program);
  command->footer(
      "For each law: sim, the mean similarity of its two sides; agree, the share of cases in which both sides are\n"
      "true or both are false; |dp|, the mean difference between the probabilities of the two sides. Each is measured\n"
      "on the vectors of the variables and of the expressions in the data; for a recommender, on the vectors of the\n"
      "items. Where the sides are opposites (!=), agree is the share of cases in which exactly one side is true, and\n"
      "|dp| the mean distance of the sum of the probabilities from 1.");
  run_if_chosen(*command, program, [audit, &program] { run(*audit, program); });
}

}  // namespace linn::app
