#include "linn/data/generate_equations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "linn/base/error.h"
#include "linn/base/random.h"
#include "linn/data/numbers.h"
#include "linn/logic/evaluate.h"

namespace linn {
namespace {

// Each has its own stream, so that changing the noise or the split does not change the expressions.
enum Stream : std::uint64_t { kTruth = 1, kExpressions, kSplit, kNoise };

// A literal encodes its variable and sign in 32 bits.
constexpr std::size_t kMaxVariables = 0x7FFF'FFFF;

void check_range(std::string_view name, std::size_t low, std::size_t high) {
  if (low == 0) throw InputError(fmt::format("{}: expected at least 1, found {}..{}", name, low, high));
  if (low > high) throw InputError(fmt::format("{}: the range {}..{} is empty", name, low, high));
}

void check(const EquationRecipe& recipe) {
  if (recipe.equations == 0) throw InputError("equations: expected at least 1, found 0");
  check_range("clauses", recipe.min_clauses, recipe.max_clauses);
  check_range("literals", recipe.min_literals, recipe.max_literals);
  constexpr std::size_t kMaxLiterals = 1'000'000;
  if (recipe.max_clauses > kMaxLiterals / recipe.max_literals) {
    throw InputError(fmt::format("{} clauses of {} literals: an expression may have up to {} literals",
                                 recipe.max_clauses, recipe.max_literals, kMaxLiterals));
  }
  check_share("noise", recipe.noise);
  check_share("share of validation equations", recipe.validation_share);
  check_share("share of test equations", recipe.test_share);
  if (recipe.validation_share + recipe.test_share > 1.0) {
    throw InputError(fmt::format("the shares of validation and test equations, {} and {}, exceed 1 in total",
                                 recipe.validation_share, recipe.test_share));
  }
}

std::size_t draw(Random& random, std::size_t low, std::size_t high) { return low + random.below(high - low + 1); }

// Draws random DNFs. Variables are drawn with replacement, even within a clause, as in the paper's data sets: there 33
// of 9,038 clauses over 1,000 variables repeat one; the expected number is 36.
class ExpressionGenerator {
 public:
  ExpressionGenerator(const EquationRecipe& recipe, ExpressionPool& pool, std::vector<VariableId> variables)
      : recipe_(recipe), pool_(pool), variables_(std::move(variables)), random_(recipe.seed, kExpressions) {}

  Expr make() {
    clauses_.clear();
    for (std::size_t count = draw(random_, recipe_.min_clauses, recipe_.max_clauses); count > 0; --count) {
      literals_.clear();
      for (std::size_t left = draw(random_, recipe_.min_literals, recipe_.max_literals); left > 0; --left) {
        const Expr variable = pool_.variable(variables_[random_.below(variables_.size())]);
        literals_.push_back(random_.below(2) == 1 ? pool_.negation(variable) : variable);
      }
      clauses_.push_back(pool_.conjunction(std::span<const Expr>(literals_)));
    }
    return pool_.disjunction(std::span<const Expr>(clauses_));
  }

 private:
  const EquationRecipe& recipe_;
  ExpressionPool& pool_;
  std::vector<VariableId> variables_;
  Random random_;
  std::vector<Expr> literals_, clauses_;
};

// Assigns each equation to a part.
std::vector<EquationList*> assign(const EquationRecipe& recipe, EquationData& data) {
  // Rounds, so that 0.29 of 100 is 29 although 0.29 is slightly less in binary.
  const auto part = [&](double share) {
    return static_cast<std::size_t>(std::floor(static_cast<double>(recipe.equations) * share + 1e-9));
  };
  const std::size_t validation = part(recipe.validation_share);
  const std::size_t test = std::min(part(recipe.test_share), recipe.equations - validation);
  std::vector<EquationList*> parts(recipe.equations, &data.train);
  std::fill_n(parts.begin(), validation, &data.validation);
  std::fill_n(parts.begin() + static_cast<std::ptrdiff_t>(validation), test, &data.test);
  Random(recipe.seed, kSplit).shuffle(std::span(parts));
  return parts;
}

}  // namespace

EquationData generate_equations(const EquationRecipe& recipe, ExpressionPool pool, const Truth& truth) {
  check(recipe);
  std::vector<VariableId> known;
  std::vector<std::uint8_t> values(truth.size());
  for (VariableId id = 0; id < truth.size(); ++id) {
    if (!truth[id]) continue;
    known.push_back(id);
    values[id] = *truth[id] ? 1 : 0;
  }
  if (known.empty()) throw InputError("the truth does not give any variable a value");

  EquationData data;
  data.pool = std::move(pool);
  data.truth = truth;
  const std::vector<EquationList*> parts = assign(recipe, data);
  ExpressionGenerator generator(recipe, data.pool, std::move(known));
  Evaluator evaluator;
  Random noise(recipe.seed, kNoise);
  for (EquationList* part : parts) {
    const Expr expression = generator.make();
    const bool label = evaluator.evaluate(data.pool, expression, values);
    // Drawn for every equation, so that whatever a low level flips, a higher one flips too.
    const bool flip = noise.chance(recipe.noise) && part != &data.test;
    part->add(expression, label != flip ? 1.0F : 0.0F);
  }
  return data;
}

EquationData generate_equations(const EquationRecipe& recipe) {
  if (recipe.variables == 0 || recipe.variables > kMaxVariables) {
    throw InputError(fmt::format("variables: expected 1 to {}, found {}", kMaxVariables, recipe.variables));
  }
  check(recipe);
  ExpressionPool pool;
  Truth truth(recipe.variables);
  Random random(recipe.seed, kTruth);
  for (std::size_t i = 0; i < recipe.variables; ++i) {
    pool.variables().intern(fmt::format_int(i + 1).c_str());
    truth[i] = random.below(2) == 1;
  }
  return generate_equations(recipe, std::move(pool), truth);
}

}  // namespace linn
