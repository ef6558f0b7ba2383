#include "app/evaluate/audit_run.h"

#include "linn/base/error.h"
#include "linn/equations/linn_equation_model.h"
#include "linn/recommend/protocol/trained_recommender.h"
#include "linn/recommend/recommender_registry.h"

namespace linn::app {
namespace {

RunAudit audit_modules(const LogicNetwork& network, const ConstMatrixView& variables, const ConstMatrixView& expressions,
                       const AuditOptions& options, ThreadPool& threads) {
  ModuleRows modules(network, threads);
  RunAudit result{{}, variables.rows, expressions.rows};
  for (std::size_t i = 0; i < audit_laws().size(); ++i) {
    const AuditLaw& law = audit_laws()[i];
    Random random(options.seed, i);
    const auto audit = [&](const ConstMatrixView& vectors) {
      return audit_law(modules, law, vectors, draw_audit_cases(vectors.rows, places_of(law), options.cases, random));
    };
    LawAudit entry{&law, {}, {}};
    entry.variables = audit(variables);
    entry.expressions = audit(expressions);
    result.laws.push_back(entry);
  }
  return result;
}

}  // namespace

RunAudit audit_run(const AuditOptions& options, ThreadPool& threads) {
  const auto refuse_model = [&] {
    return InputError("audit needs a LINN, and this run has another model", Place{options.run, 0, 0});
  };
  const RunFolder folder = RunFolder::open(options.run);
  if (read_config(folder).task == kRecommendTask) {
    if (!options.data.empty() || options.split_given) {
      throw InputError("this run is a recommender: --data and --split, which select equations, do not apply",
                       Place{options.run, 0, 0});
    }
    const TrainedRecommender loaded =
        load_recommender(SafetensorsFile::read(trained_model(folder)), recommender_registry());
    const Reasoning* reasoning = loaded.model->reasoning();
    if (reasoning == nullptr) throw refuse_model();
    const std::size_t d = reasoning->network().width();
    return audit_modules(reasoning->network(), {reasoning->variables().row(0), loaded.model->items(), d, d},
                         {nullptr, 0, d, d}, options, threads);
  }
  const auto model = options.load();
  const auto* linn = dynamic_cast<const LinnEquationModel*>(model.get());
  if (linn == nullptr) throw refuse_model();
  EquationData data = options.read();
  const LogicModel& network = *linn->logic_model();
  const auto forms = network_forms(linn->form(), data.pool, options.equations(data).expressions, linn->names());
  const Matrix expressions = expression_vectors(network, forms, threads);
  const std::size_t d = network.network.width();
  return audit_modules(network.network, {network.variables.row(0), network.variables.rows(), d, d}, expressions.view(),
                       options, threads);
}

}  // namespace linn::app
