// linn audit: how well a trained LINN obeys the laws of logic.
#include "linn/model/audit.h"

#include <fmt/format.h>

#include <memory>

#include "app/cli/program.h"
#include "app/cli/runs.h"
#include "linn/base/error.h"
#include "linn/recommend/protocol/model_registry.h"

namespace linn::app {
namespace {

struct Audit : AskData {
  std::size_t cases = 1000;
};

struct Row {
  const AuditLaw* law = nullptr;
  AuditFigures variables;
  AuditFigures expressions;
};

Json figures_to_json(const AuditFigures& figures) {
  if (figures.cases == 0) return nullptr;
  return {{"cases", figures.cases},
          {"similarity", figures.similarity},
          {"agreement", figures.agreement},
          {"difference", figures.difference}};
}

std::string figures_to_text(const AuditFigures& figures) {
  if (figures.cases == 0) return fmt::format("{:>8}{:>8}{:>8}", "-", "-", "-");
  return fmt::format("{:8.3f}{:8.3f}{:8.3f}", figures.similarity, figures.agreement, figures.difference);
}

void print_table(const std::vector<Row>& rows, std::size_t expressions) {
  fmt::print("{:<20}{:<36}{:^24}  {:^24}\n", "", "", "variables", fmt::format("{} expressions", expressions));
  const std::string heads = fmt::format("{:>8}{:>8}{:>8}", "sim", "agree", "|dp|");
  fmt::print("{:<20}{:<36}{}  {}\n", "law", "", heads, heads);
  bool taught = true;
  for (const Row& row : rows) {
    if (taught && !row.law->taught) fmt::print("never taught\n");
    taught = row.law->taught;
    const std::string sides = fmt::format("{} {} {}", row.law->left, row.law->differ ? "!=" : "=", row.law->right);
    fmt::print("{:<20}{:<36}{}  {}\n", row.law->name, sides, figures_to_text(row.variables),
               figures_to_text(row.expressions));
  }
}

[[noreturn]] void refuse_model(const Audit& options) {
  throw InputError("audit needs the modules of a LINN, and this model has none", Place{options.run, 0, 0});
}

void audit_modules(const LogicNetwork& network, const ConstMatrixView& variables, const ConstMatrixView& expressions,
                   const Audit& options, ThreadPool& threads, const Program& program) {
  ModuleRows modules(network, threads);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < audit_laws().size(); ++i) {
    const AuditLaw& law = audit_laws()[i];
    Random random(program.seed, i);
    const auto audit = [&](const ConstMatrixView& vectors) {
      return audit_law(modules, law, vectors, draw_audit_cases(vectors.rows, places_of(law), options.cases, random));
    };
    Row row = {&law, {}, {}};
    row.variables = audit(variables);
    row.expressions = audit(expressions);
    rows.push_back(row);
  }

  if (!program.json) {
    print_table(rows, expressions.rows);
    return;
  }
  Json laws = Json::array();
  for (const Row& row : rows) {
    laws.push_back({{"law", row.law->name},
                    {"left", row.law->left},
                    {"right", row.law->right},
                    {"differ", row.law->differ},
                    {"taught", row.law->taught},
                    {"variables", figures_to_json(row.variables)},
                    {"expressions", figures_to_json(row.expressions)}});
  }
  print_json({{"laws", std::move(laws)}, {"variables", variables.rows}, {"expressions", expressions.rows}});
}

void run(const Audit& options, const Program& program) {
  ThreadPool threads(options.threads);
  const RunFolder folder = RunFolder::open(options.run);
  const Json config = read_config(folder);
  if (config["task"] == "recommend") {
    // The vectors of the items; a history with an item is asked by `linn evaluate`.
    if (!options.data.empty() || options.split_given) {
      throw InputError("--data and --split choose expressions of equations, and this run is about recommendations",
                       Place{options.run, 0, 0});
    }
    const LoadedRankingModel loaded = load_recommender(trained_model(folder));
    const Reasoning* reasoning = loaded.model->reasoning();
    if (reasoning == nullptr) refuse_model(options);
    const std::size_t d = reasoning->network().width();
    audit_modules(reasoning->network(), {reasoning->variables().row(0), loaded.model->items(), d, d},
                  {nullptr, 0, d, d}, options, threads, program);
    return;
  }
  const auto model = options.load();
  const auto* linn = dynamic_cast<const LinnEquationModel*>(model.get());
  if (linn == nullptr) refuse_model(options);
  EquationData data = options.read();
  const LogicModel& network = *linn->logic_model();
  const auto forms = network_forms(linn->form(), data.pool, options.equations(data).expressions, linn->names());
  const Matrix expressions = expression_vectors(network, forms, threads);
  const std::size_t d = network.network.width();
  audit_modules(network.network, {network.variables.row(0), network.variables.rows(), d, d}, expressions.view(),
                options, threads, program);
}

}  // namespace

void add_audit_command(CLI::App& app, Program& program) {
  CLI::App* audit = app.add_subcommand("audit", "How well a trained LINN obeys the laws of logic");
  auto options = std::make_shared<Audit>();
  add_run_options(*audit, *options, program);
  add_data_options(*audit, *options);
  audit->add_option("--cases", options->cases, "Random cases of each law, at most")
      ->type_name("N")
      ->check(whole_number(1, 1'000'000))
      ->capture_default_str();
  add_seed_option(*audit, program);
  audit->footer(
      "For each law: sim, the mean similarity of its two sides; agree, the share of cases in which both sides are "
      "true\n"
      "or both false; |dp|, the mean difference of their truth. On the vectors of the variables, and of the "
      "expressions\n"
      "of the data; of a recommender, on the vectors of the items. Where the sides are opposites (!=), agree and |dp| "
      "are about one of them being true.");
  audit->callback([audit, options, &program] {
    options->split_given = audit->count("--split") > 0;
    program.run = [options, &program] { run(*options, program); };
  });
}

}  // namespace linn::app
