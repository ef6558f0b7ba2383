#include "app/evaluate/audit_run.h"

#include "app/evaluate/equation_run.h"
#include "app/evaluate/recommender_run.h"
#include "linn/base/error.h"
#include "linn/equations/linn_equation_model.h"

namespace linn::app {
namespace {

RunAudit audit(const LogicNetwork& network, const ConstMatrixView& variables, const ConstMatrixView& expressions,
               const AuditOptions& options, ThreadPool& threads) {
  return {audit_modules(network, variables, expressions, options.cases, options.seed, threads), variables.rows,
          expressions.rows};
}

Json figures_to_json(const AuditFigures& figures) {
  if (figures.cases == 0) return nullptr;
  return {{"cases", figures.cases},
          {"similarity", figures.similarity},
          {"agreement", figures.agreement},
          {"difference", figures.difference}};
}

}  // namespace

std::optional<RunAudit> audit_run(const AuditOptions& options, ThreadPool& threads) {
  const TrainedRun run(options.run);
  if (run.config.task == kRecommendTask) {
    if (!options.selection.data.empty() || options.selection.split) {
      throw InputError("this run is a recommender: --data and --split, which select equations, do not apply",
                       Place{options.run, 0, 0});
    }
    return audit_recommender(*RecommenderRun(options.run).trained.model, options, threads);
  }
  const auto model = load_equation_run(run);
  if (model->logic_model() == nullptr) return std::nullopt;
  return audit_equations(*model, read_equations(options.selection, run.config), options, threads);
}

std::optional<RunAudit> audit_recommender(const RankingModel& model, const AuditOptions& options, ThreadPool& threads) {
  const Reasoning* reasoning = model.reasoning();
  if (reasoning == nullptr) return std::nullopt;
  const std::size_t d = reasoning->network().width();
  return audit(reasoning->network(), {reasoning->variables().row(0), model.items(), d, d}, {nullptr, 0, d, d}, options,
               threads);
}

std::optional<RunAudit> audit_equations(const EquationModel& model, SelectedEquations selected,
                                        const AuditOptions& options, ThreadPool& threads) {
  const auto* linn = dynamic_cast<const LinnEquationModel*>(&model);
  if (linn == nullptr) return std::nullopt;
  const LogicModel& network = *linn->logic_model();
  const auto forms = network_forms(linn->form(), selected.pool, selected.equations.expressions, linn->names());
  const Matrix expressions = expression_vectors(network, forms, threads);
  const std::size_t d = network.network.width();
  return audit(network.network, {network.variables.row(0), network.variables.rows(), d, d}, expressions.view(), options,
               threads);
}

Json to_json(const RunAudit& audit) {
  Json laws = Json::array();
  for (const LawAudit& entry : audit.laws) {
    laws.push_back({{"law", entry.law->name},
                    {"left", entry.law->left},
                    {"right", entry.law->right},
                    {"differ", entry.law->differ},
                    {"taught", entry.law->taught},
                    {"variables", figures_to_json(entry.variables)},
                    {"expressions", figures_to_json(entry.expressions)}});
  }
  return {{"laws", std::move(laws)}, {"variables", audit.variables}, {"expressions", audit.expressions}};
}

}  // namespace linn::app
