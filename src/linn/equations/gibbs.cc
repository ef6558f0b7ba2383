#include "linn/equations/gibbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <thread>

#include "linn/base/error.h"
#include "linn/equations/clause_model.h"
#include "linn/equations/gibbs_chain.h"
#include "linn/logic/evaluate.h"

namespace linn {
namespace {

// Annealing starts at this rate: the variables still move freely, but already tend to the correct values.
constexpr double kHottestNoise = 0.3;
// Annealing ends at this rate if the noise is to be estimated. With a higher one, random variables may contradict so
// many labels that the estimate stays near 1/2.
constexpr double kColdNoise = 0.01;
// The share of the burn-in that is spent on annealing; the rest is for equilibration.
constexpr double kCoolingShare = 0.75;

// The lowest noise rate for sampling: under hard constraints no chain can move. At 1/m for m equations, about one
// sample in ten contradicts any label of clean data (0.1 contradicted on average, with 2,400 as with 24,000 equations);
// for small sets 1/1000 is as harmless.
double lowest_noise(std::size_t equations) { return std::min(1e-3, 1.0 / static_cast<double>(equations + 1)); }

// Evaluates queries without normalizing them: by clauses if a query is in normal form, else node by node.
class Queries {
 public:
  Queries(const ExpressionPool& pool, std::span<const Expr> expressions) : pool_(pool), expressions_(expressions) {
    forms_.resize(expressions.size());
    for (std::size_t i = 0; i < expressions.size(); ++i) {
      for (const Form form : {Form::kDnf, Form::kCnf}) {
        if (forms_[i] || !is_in_form(pool, expressions[i], form)) continue;
        forms_[i] = clauses_as_written(pool, expressions[i], form);
      }
    }
  }

  std::size_t size() const { return forms_.size(); }
  bool evaluate(std::size_t i, std::span<const std::uint8_t> values, Evaluator& evaluator) const {
    return forms_[i] ? linn::evaluate(*forms_[i], values) : evaluator.evaluate(pool_, expressions_[i], values);
  }

 private:
  const ExpressionPool& pool_;
  std::span<const Expr> expressions_;
  std::vector<std::optional<NormalForm>> forms_;
};

// Sums over the samples of one chain.
struct ChainTotals {
  std::vector<std::uint32_t> variables;    // number of samples in which each is true
  std::vector<std::uint32_t> expressions;  // the same
  std::vector<std::uint8_t> assignments;
  double noise = 0.0;
  double contradicted = 0.0;
  // Mean and standard deviation of the log-likelihood, not sums.
  double log_likelihood = 0.0;
  double spread = 0.0;
};

ChainTotals run_chain(const ClauseModel& model, const Queries& queries, const GibbsOptions& options,
                      std::size_t number) {
  const double coldest = std::max(options.noise.value_or(kColdNoise), lowest_noise(model.equations()));
  const double hottest = std::max(kHottestNoise, coldest);
  const auto cooling = static_cast<std::size_t>(kCoolingShare * static_cast<double>(options.burn_in));

  GibbsChain chain(model, Random(options.seed, number), hottest);
  Evaluator evaluator;
  ChainTotals totals;
  totals.variables.resize(model.variables());
  totals.expressions.resize(queries.size());
  double sum = 0.0, sum_of_squares = 0.0, first = 0.0;

  for (std::size_t sweep = 0; sweep < options.burn_in + options.samples; ++sweep) {
    if (options.stop != nullptr && *options.stop) throw Interrupted();
    if (sweep < cooling) {
      // Geometric cooling.
      const double progress = static_cast<double>(sweep) / static_cast<double>(cooling);
      chain.set_noise(hottest * std::pow(coldest / hottest, progress));
    } else if (sweep == cooling) {
      chain.set_noise(coldest);
    } else if (!options.noise) {
      chain.draw_noise();
    }
    chain.sweep();
    if (sweep < options.burn_in) continue;

    const auto values = chain.values();
    if (options.keep_assignments) totals.assignments.insert(totals.assignments.end(), values.begin(), values.end());
    for (std::size_t v = 0; v < values.size(); ++v) totals.variables[v] += values[v];
    for (std::size_t i = 0; i < queries.size(); ++i) {
      totals.expressions[i] += queries.evaluate(i, values, evaluator) ? 1U : 0U;
    }
    totals.noise += chain.noise();
    totals.contradicted += static_cast<double>(chain.contradicted());
    // Relative to the first value, to avoid cancellation in the variance.
    const double log_likelihood = chain.log_likelihood();
    if (sweep == options.burn_in) first = log_likelihood;
    sum += log_likelihood - first;
    sum_of_squares += (log_likelihood - first) * (log_likelihood - first);
  }
  const auto samples = static_cast<double>(options.samples);
  const double mean = sum / samples;
  totals.log_likelihood = first + mean;
  totals.spread = std::sqrt(std::max(0.0, sum_of_squares / samples - mean * mean));
  return totals;
}

std::vector<ChainTotals> run_chains(const ClauseModel& model, const Queries& queries, const GibbsOptions& options) {
  std::vector<ChainTotals> totals(options.chains);
  std::vector<std::exception_ptr> errors(options.chains);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < options.chains; i = next++) {
      try {
        totals[i] = run_chain(model, queries, options, i);
      } catch (...) {
        errors[i] = std::current_exception();
        next = options.chains;
      }
    }
  };
  {
    std::vector<std::jthread> workers;
    for (std::size_t i = 1; i < std::min(options.threads, options.chains); ++i) workers.emplace_back(work);
    work();
  }
  for (const auto& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  return totals;
}

// A chain can get stuck in a local optimum, and then does not represent the posterior. Leaves out chains whose mean
// log-likelihood is more than three standard deviations of the best chain plus 5 (a factor of 150) below the best one.
// On random DNF equations all chains converge; on parity equations often only some do.
std::vector<const ChainTotals*> good_chains(const std::vector<ChainTotals>& chains) {
  const auto best = std::ranges::max_element(chains, {}, &ChainTotals::log_likelihood);
  const double lowest = best->log_likelihood - 3.0 * best->spread - 5.0;
  std::vector<const ChainTotals*> good;
  for (const ChainTotals& chain : chains) {
    if (chain.log_likelihood >= lowest) good.push_back(&chain);
  }
  return good;
}

void check(const GibbsOptions& options) {
  if (options.noise && !(*options.noise >= 0.0 && *options.noise <= 0.5)) {
    throw InputError(fmt::format("the label noise is {}, expected a number from 0 to 0.5", *options.noise));
  }
  if (options.chains == 0) throw InputError("the number of chains must be at least 1");
  if (options.samples == 0) throw InputError("the number of samples must be at least 1");
}

}  // namespace

GibbsResult gibbs_reason(ExpressionPool& pool, const EquationList& equations, std::span<const Expr> queries,
                         const GibbsOptions& options) {
  check(options);
  const ClauseModel model = make_clause_model(pool, equations, options.limits);
  const std::vector<ChainTotals> chains = run_chains(model, Queries(pool, queries), options);
  const std::vector<const ChainTotals*> good = good_chains(chains);

  GibbsResult result;
  result.variables.resize(model.variables());
  result.expressions.resize(queries.size());
  result.chains_used = good.size();
  const double share = 1.0 / static_cast<double>(options.samples * good.size());
  for (const ChainTotals* chain : good) {
    for (std::size_t v = 0; v < result.variables.size(); ++v) result.variables[v] += chain->variables[v];
    for (std::size_t i = 0; i < queries.size(); ++i) result.expressions[i] += chain->expressions[i];
    result.assignments.insert(result.assignments.end(), chain->assignments.begin(), chain->assignments.end());
    result.noise += chain->noise * share;
    result.contradicted += chain->contradicted * share;
  }
  for (double& p : result.expressions) p *= share;
  for (std::size_t v = 0; v < result.variables.size(); ++v) {
    result.variables[v] = model.occurrences_of(v).empty() ? 0.5 : result.variables[v] * share;
  }
  if (options.noise) result.noise = *options.noise;
  return result;
}

}  // namespace linn
