#include "linn/recommend/learn_recommender.h"

#include "linn/base/error.h"
#include "linn/data/checksum.h"
#include "linn/recommend/protocol/candidates.h"
#include "linn/recommend/protocol/evaluate_ranking.h"
#include "linn/recommend/protocol/train_ranking.h"
#include "linn/train/agreement.h"
#include "linn/train/shards.h"
#include "linn/train/starting_point.h"

namespace linn {

LearnedRecommender learn_recommender(const RecommenderKind& kind, const Settings& settings, const RunConfig& given,
                                     const InteractionData& data, const RunPlace& place, Context& context) {
  kind.check_device(context.device());
  const Place source = {given.data, 0, 0};
  if (data.train.empty()) throw InputError("there are no interactions to train on", source);
  RunConfig config = given;
  config.data_checksum = with_base(checksum(data), place.base.get());
  check_shards(settings, context);
  require_agreement(context.processes(), config);
  const Histories histories(data);
  TrainedRecommender description;
  description.kind = &kind;
  description.settings = settings.clone();
  description.catalogue = {data.users, data.items, data.titles};
  description.notes = config.notes;

  std::shared_ptr<const StartingPoint> start;
  if (place.base) {
    check_base(*place.base, kind.name());
    const Catalogue known = read_catalogue(*place.base);
    const std::vector<TableGrowth> growth = {growth_of(known.users, data.users, given.data),
                                             growth_of(known.items, data.items, given.data)};
    start = std::make_shared<const StartingPoint>(StartingPoint{place.base, growth});
  }
  check_replay(settings, place.base.get());

  // Too many names to be saved are reported before the training, not after it.
  SafetensorsWriter names;
  description.RecommenderDescription::write(names);
  names.check_header();

  TrainingResult result = [&] {
    if (!kind.trains_by_epochs()) {
      return fit_into(place, config, [&](const EpochTask::Write& write) {
        description.model = kind.fit(settings, histories, context);
        SafetensorsWriter out;
        description.write(out);
        write(out);
      });
    }
    const auto model = make_ranking_model(kind, settings, histories, context);
    if (!has_training_data(*model, histories)) {
      throw InputError("there is nothing to train on: no user has a like after another event", source);
    }
    if (place.base && !has_later_data(*model, histories)) {
      throw InputError("there is nothing new to learn from: no like that the run to continue from does not have",
                       source);
    }
    return train_into(place, config, start, context.processes(), [&](TrainingStore& store) {
      return train_ranking(*model, description, histories, context, store);
    });
  }();

  LearnedRecommender learned;
  learned.report = std::move(result.report);
  learned.recommender = load_recommender(result.model, kind);
  learned.recommender.model->use_device(context.device());
  const auto ranked = [&](Split split) {
    const Candidates candidates(histories, split, {kCandidates, kind.ranking(settings).candidate_seed});
    return rank_held_out(*learned.recommender.model, histories, candidates, histories.users(), context.pool(),
                         &context.processes());
  };
  learned.validation = ranked(Split::kValidation);
  learned.test = ranked(Split::kTest);
  learned.recommender.model->use_device(nullptr);  // it may outlive the device
  return learned;
}

}  // namespace linn
