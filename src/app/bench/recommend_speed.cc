#include "app/bench/recommend_speed.h"

#include <algorithm>
#include <chrono>

#include "linn/base/context.h"
#include "linn/metrics/median.h"
#include "linn/recommend/linn/linn_recommender.h"
#include "linn/recommend/linn/target_scorer.h"

namespace linn::app {
namespace {

constexpr std::size_t kItems = 63'001;
constexpr std::size_t kHistory = 10;
constexpr double kDislikes = 0.3;

InteractionData empty_catalogue() {
  InteractionData data;
  for (std::size_t i = 0; i < kItems; ++i) data.items.intern(std::to_string(i + 1));
  return data;
}

}  // namespace

std::string RecommendSpeedCase::name() const {
  return std::string("recommend-63k-") + (form == RecommendForm::kDnf ? "dnf" : "factored") +
         (kept_projections ? "-kept" : "");
}

RecommendSpeedResult measure_recommend(const RecommendSpeedCase& speed_case, double seconds, std::uint64_t seed) {
  Context context(seed, speed_case.threads);
  LinnRecommenderOptions options = linn_recommender_preset(Preset::kAuthors, {kItems, 0});
  options.form = speed_case.form;
  options.init = 0.1F;
  const Histories histories(empty_catalogue());
  LinnRecommender model(options, histories, context);
  if (speed_case.kept_projections) model.prepare_for_queries(context.pool());

  Random random(seed);
  std::vector<float> scores(kItems);
  std::vector<double> times;
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto since = [&](auto start) { return std::chrono::duration<double>(now() - start).count(); };
  const auto start = now();
  while (times.empty() || since(start) < seconds) {
    std::vector<Event> history(kHistory);
    for (Event& event : history) event = {static_cast<ItemId>(random.below(kItems)), !random.chance(kDislikes)};
    const auto before = now();
    model.score_all({std::nullopt, history}, scores, context.pool());
    times.push_back(since(before));
  }
  const std::size_t arguments = speed_case.form == RecommendForm::kDnf ? kHistory : 1;
  const double each = multiply_adds_of_target(model.network(), arguments, speed_case.kept_projections);
  return {2e-9 * each * static_cast<double>(kItems), median(std::move(times))};
}

std::vector<RecommendSpeedCase> recommend_speed_cases(std::size_t threads) {
  return {{RecommendForm::kDnf, false, threads},
          {RecommendForm::kFactored, false, threads},
          {RecommendForm::kFactored, true, threads}};
}

}  // namespace linn::app
