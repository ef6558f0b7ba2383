#include "linn/equations/gibbs_chain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "linn/base/logistic.h"

namespace linn {
namespace {

// The prior of an unknown noise rate: Beta(1, 9), truncated at 1/2, beyond which labels would mean their opposite. It
// counts like ten equations of which one is wrong: a few hundred equations override it; with fewer, it favours low
// rates.
constexpr double kPriorWrong = 1.0;
constexpr double kPriorRight = 9.0;
constexpr double kHighestNoise = 0.5;
// Keeps the log-odds of a label finite.
constexpr double kLowestNoise = 1e-9;

}  // namespace

double label_likelihood(double label, bool truth, double noise) {
  const double q = truth ? label : 1.0 - label;
  return q * (1.0 - noise) + (1.0 - q) * noise;
}

GibbsChain::GibbsChain(const ClauseModel& model, Random random, double noise)
    : model_(model),
      random_(random),
      values_(model.variables(), 0),
      false_literals_(model.clause_sizes),
      true_clauses_(model.equations(), 0),
      gains_(model.equations()) {
  for (std::size_t v = 0; v < model.variables(); ++v) {
    values_[v] = static_cast<std::uint8_t>(random_.next() >> 63U);
    for (const Occurrence o : model.occurrences_of(v)) {
      if ((values_[v] != 0) != o.negated()) --false_literals_[o.clause()];
    }
  }
  for (std::size_t e = 0; e < model.equations(); ++e) {
    const auto first = false_literals_.begin() + model.clause_starts[e];
    const auto last = false_literals_.begin() + model.clause_starts[e + 1];
    true_clauses_[e] = static_cast<std::uint32_t>(std::count(first, last, 0U));
  }
  set_noise(noise);
}

void GibbsChain::set_noise(double noise) {
  noise_ = std::clamp(noise, kLowestNoise, kHighestNoise);
  std::vector<double> gain_of_label;
  gain_of_label.reserve(model_.labels.size());
  for (const double q : model_.labels) {
    gain_of_label.push_back(std::log(label_likelihood(q, true, noise_) / label_likelihood(q, false, noise_)));
  }
  for (std::size_t e = 0; e < gains_.size(); ++e) gains_[e] = gain_of_label[model_.label_of[e]];
}

// Only equations whose truth depends on the variable contribute. A clause is open if all of its other literals are
// true, so that the variable decides it: open clauses with the plain literal are true if the variable is true, those
// with the negated literal if it is false, and the remaining true clauses hold either way.
double GibbsChain::log_odds(std::size_t variable) const {
  const std::uint32_t value = values_[variable];
  double sum = 0.0;
  std::uint32_t open_plain = 0, open_negated = 0;
  for (const Occurrence o : model_.occurrences_of(variable)) {
    const std::uint32_t negated = o.clause_code & 1U;
    const std::uint32_t own_is_false = value ^ negated ^ 1U;
    const std::uint32_t open = false_literals_[o.clause()] == own_is_false ? 1 : 0;
    open_plain += open & ~negated;
    open_negated += open & negated;
    if (!o.last_of_equation()) continue;
    if (open_plain + open_negated != 0) {
      const std::uint32_t either_way = true_clauses_[o.equation()] - (value != 0 ? open_plain : open_negated);
      if (either_way == 0) sum += gains_[o.equation()] * ((open_plain != 0 ? 1 : 0) - (open_negated != 0 ? 1 : 0));
      open_plain = open_negated = 0;
    }
  }
  return sum;
}

void GibbsChain::flip(std::size_t variable) {
  values_[variable] ^= 1U;
  const bool value = values_[variable] != 0;
  for (const Occurrence o : model_.occurrences_of(variable)) {
    std::uint32_t& false_literals = false_literals_[o.clause()];
    if (value != o.negated()) {
      if (--false_literals == 0) ++true_clauses_[o.equation()];
    } else {
      if (false_literals++ == 0) --true_clauses_[o.equation()];
    }
  }
}

void GibbsChain::sweep() {
  for (std::size_t v = 0; v < values_.size(); ++v) {
    const double probability = logistic(log_odds(v));
    if (random_.chance(probability) != (values_[v] != 0)) flip(v);
  }
}

double GibbsChain::log_likelihood() const {
  std::vector<std::array<double, 2>> log_of_label;
  log_of_label.reserve(model_.labels.size());
  for (const double q : model_.labels) {
    log_of_label.push_back({std::log(label_likelihood(q, false, noise_)), std::log(label_likelihood(q, true, noise_))});
  }
  double sum = 0.0;
  for (std::size_t e = 0; e < model_.equations(); ++e) sum += log_of_label[model_.label_of[e]][holds(e) ? 1 : 0];
  return sum;
}

std::size_t GibbsChain::contradicted() const {
  std::size_t count = 0;
  for (std::size_t e = 0; e < model_.equations(); ++e) count += holds(e) != (model_.labels[model_.label_of[e]] > 0.5);
  return count;
}

// A hidden variable per label says whether it was flipped. Given the truth t of the expression, with q_t = q if t is
// true and 1 - q otherwise, the label was flipped with probability
//   (1 - q_t) epsilon / (q_t (1 - epsilon) + (1 - q_t) epsilon),
// which for hard labels is 1 if label and truth differ and 0 otherwise. Given the number of flipped labels, the noise
// rate has a Beta distribution.
void GibbsChain::draw_noise() {
  double wrong = 0.0;
  for (std::size_t e = 0; e < model_.equations(); ++e) {
    const double label = model_.labels[model_.label_of[e]];
    const double q = holds(e) ? label : 1.0 - label;
    if (q == 0.0) {
      wrong += 1.0;
    } else if (q != 1.0 && random_.chance((1.0 - q) * noise_ / label_likelihood(q, true, noise_))) {
      wrong += 1.0;
    }
  }
  const double right = static_cast<double>(model_.equations()) - wrong;

  // Draws beyond the truncation are rejected. After too many rejections the rate stays as it is; that leaves the
  // distribution invariant too, since rejection does not depend on the current rate.
  constexpr int kTries = 50;
  for (int i = 0; i < kTries; ++i) {
    const double a = draw_gamma(kPriorWrong + wrong);
    const double b = draw_gamma(kPriorRight + right);
    if (a < kHighestNoise * (a + b)) return set_noise(a / (a + b));
  }
}

// Marsaglia and Tsang, "A simple method for generating gamma variables" (2000); requires shape >= 1.
double GibbsChain::draw_gamma(double shape) {
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const double x = random_.normal();
    const double v = std::pow(1.0 + c * x, 3);
    if (v <= 0.0) continue;
    if (std::log(1.0 - random_.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

}  // namespace linn
