#include "linn/equations/learn_equations.h"

#include "linn/base/error.h"
#include "linn/data/checksum.h"
#include "linn/model/names_json.h"
#include "linn/train/agreement.h"
#include "linn/train/shards.h"
#include "linn/train/starting_point.h"

namespace linn {

EquationMetrics evaluate_equations(const EquationModel& model, ExpressionPool& pool, const EquationList& equations,
                                   ThreadPool& threads) {
  return equation_metrics(model.probabilities(pool, equations.expressions, threads), equations.labels);
}

LearnedEquations learn_equations(const EquationKind& kind, const Settings& settings, const RunConfig& given,
                                 EquationData& data, const RunPlace& place, Context& context) {
  kind.check_device(context.device());
  if (data.train.size() == 0) throw InputError("there are no equations to train on", Place{given.data, 0, 0});
  RunConfig config = given;
  config.data_checksum = with_base(checksum(data), place.base.get());
  check_replay(settings, place.base.get());
  check_shards(settings, context);
  require_agreement(context.processes(), config);
  const SnapshotEpochs snapshots(config.snapshots);
  // Too many names to be saved are reported before the training, not after it.
  SafetensorsWriter names;
  names.set_metadata("variables", names_to_json(data.pool.variables()));
  names.check_header();

  LearnedEquations learned;
  if (!kind.trains_by_epochs()) {
    TrainingResult result = fit_into(place, config, [&](const EpochTask::Write& write) {
      const auto model = kind.fit(settings, data, context);
      SafetensorsWriter out;
      model->write(out);
      write(out);
    });
    learned.report = std::move(result.report);
    learned.model = kind.load(result.model);
    learned.validation = evaluate_equations(*learned.model, data.pool, data.validation, context.pool());
    learned.test = evaluate_equations(*learned.model, data.pool, data.test, context.pool());
    return learned;
  }

  std::shared_ptr<const StartingPoint> start;
  if (place.base) {
    check_base(*place.base, kind.name());
    if (data.earlier == data.train.size()) {
      throw InputError("there are no equations to train on that the run to continue from does not have",
                       Place{given.data, 0, 0});
    }
    const Vocabulary known = names_from_json(place.base->metadata(kVocabularyKey), place.base->path());
    start = std::make_shared<const StartingPoint>(
        StartingPoint{place.base, {growth_of(known, data.pool.variables(), given.data)}});
  }
  const NormalizedEquations normalized(data, *kind.form(settings));
  TrainingResult result = train_into(place, config, start, context.processes(), [&](TrainingStore& store) {
    return kind.train(settings, normalized, snapshots, context, store);
  });
  learned.report = std::move(result.report);
  learned.model = kind.load(result.model);
  // Models that are trained by epochs are networks, and number the variables like the data.
  const auto& network = dynamic_cast<const NetworkEquationModel&>(*learned.model);
  const auto evaluate = [&](const NormalizedEquations::Part& part) {
    return equation_metrics(require_finite(network.probabilities(part.forms, context.pool())), part.labels);
  };
  learned.validation = evaluate(normalized.validation);
  learned.test = evaluate(normalized.test);
  return learned;
}

}  // namespace linn
