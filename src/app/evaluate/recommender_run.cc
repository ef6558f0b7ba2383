#include "app/evaluate/recommender_run.h"

#include "linn/base/error.h"
#include "linn/recommend/recommender_registry.h"
#include "linn/train/run_data.h"

namespace linn::app {

RecommenderRun::RecommenderRun(const std::string& folder) : TrainedRun(folder) {
  require_task(config, kRecommendTask, path);
  trained = load_recommender(read_model(), recommender_registry());
}

FittedData RecommenderRun::read_data(const std::string& data_path) const {
  return fit_to_catalogue(data_path.empty() ? read_run_interactions(config) : read_interaction_folder(data_path),
                          trained.catalogue);
}

Candidates RecommenderRun::candidates(const Histories& histories, Split split, const RankingProtocol& protocol,
                                      const ItemChoice& choice) const {
  const std::uint64_t own_seed = trained.kind->ranking(*trained.settings).candidate_seed;
  Candidates candidates(histories, split, {protocol.candidates, protocol.seed.value_or(own_seed), choice});
  if (candidates.size() == 0) {
    throw InputError(choice.is_all() ? "this split has no likes with a history"
                                     : "this split has no likes of these items with a history");
  }
  return candidates;
}

}  // namespace linn::app
