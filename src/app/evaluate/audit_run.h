// How well a trained LINN obeys the laws of logic: what `linn audit` prints, `linn report` shows and the service
// sends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/evaluate/data_selection.h"
#include "app/evaluate/equation_run.h"
#include "linn/base/json.h"
#include "linn/base/thread_pool.h"
#include "linn/equations/equation_model.h"
#include "linn/model/audit.h"
#include "linn/recommend/protocol/ranking_model.h"

namespace linn::app {

struct AuditOptions {
  std::string run = {};
  DataSelection selection = {};  // equations whose expressions are audited
  std::size_t cases = 1000;      // random cases per law, at most
  std::uint64_t seed = 0;
};

struct RunAudit {
  std::vector<LawAudit> laws;   // in the order of audit_laws(); the variables of a recommender are its items
  std::size_t variables = 0;    // vectors
  std::size_t expressions = 0;  // vectors
};

// Nothing if the model is not a LINN. Throws InputError if a recommender is to be audited on selected equations.
std::optional<RunAudit> audit_run(const AuditOptions& options, ThreadPool& threads);

// The same for models that are loaded; the run and the selection of the options do not count.
std::optional<RunAudit> audit_recommender(const RankingModel& model, const AuditOptions& options, ThreadPool& threads);
std::optional<RunAudit> audit_equations(const EquationModel& model, SelectedEquations selected,
                                        const AuditOptions& options, ThreadPool& threads);

Json to_json(const RunAudit& audit);

}  // namespace linn::app
