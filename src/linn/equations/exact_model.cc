#include "linn/equations/exact_model.h"

#include <algorithm>

#include "linn/base/error.h"
#include "linn/logic/evaluate.h"
#include "linn/model/names_json.h"

namespace linn {
namespace {

constexpr const char* kName = "exact";
constexpr const char* kAssignments = "assignments";
constexpr const char* kNoise = "noise";

struct ExactOptions {
  double label_noise = 0.0;
  bool learn_label_noise = true;
};

class ExactKind : public EquationKindOf<ExactOptions> {
 public:
  std::string_view name() const override { return kName; }
  double cost() const override { return 2.0; }
  std::vector<std::string> search_ranges(Preset) const override { return {}; }

  std::unique_ptr<EquationModel> fit(const Settings& settings, EquationData& data, Context& context) const override {
    const auto& options = options_of<ExactOptions>(settings);
    GibbsOptions gibbs;
    if (!options.learn_label_noise) gibbs.noise = options.label_noise;
    gibbs.seed = context.seed();
    gibbs.threads = context.pool().threads();
    return fit_exact(data.pool, data.train, gibbs);
  }

  std::unique_ptr<EquationModel> load(const SafetensorsFile& in) const override {
    Vocabulary names = names_from_json(in.metadata(kVocabularyKey), in.path());
    const auto assignments = in.values<std::uint8_t>(kAssignments);
    if (names.size() != 0 && assignments.size() % names.size() != 0) {
      throw in.error("the assignments do not match the vocabulary");
    }
    return std::make_unique<ExactModel>(std::move(names),
                                        std::vector<std::uint8_t>(assignments.begin(), assignments.end()),
                                        in.values<double>(kNoise, {1})[0]);
  }

 protected:
  ExactOptions options(Preset, const DataSize&, std::size_t) const override { return {}; }
  OptionTable<ExactOptions> table() const override {
    OptionTable<ExactOptions> table;
    table.number("label_noise", "Expected share of wrong labels", 0.0, 0.49, &ExactOptions::label_noise);
    table.flag("learn_label_noise", "Estimate label_noise along with the variables", &ExactOptions::learn_label_noise);
    return table;
  }
};

}  // namespace

std::vector<float> ExactModel::probabilities(ExpressionPool& pool, std::span<const Expr> expressions,
                                             ThreadPool& threads) const {
  const auto needed = known_variables(pool, expressions, names_);
  const std::size_t width = names_.size();
  // Without variables there is exactly one assignment, the empty one.
  const std::size_t samples = width == 0 ? 1 : assignments_.size() / width;
  std::vector<float> result(expressions.size(), 0.5F);
  if (samples == 0) return result;

  constexpr std::size_t kChunk = 64;
  threads.run((expressions.size() + kChunk - 1) / kChunk, [&](std::size_t chunk, std::size_t) {
    Evaluator evaluator;
    std::vector<std::uint8_t> values(needed.size());
    const std::size_t begin = chunk * kChunk;
    const std::size_t end = std::min(begin + kChunk, expressions.size());
    std::vector<std::uint32_t> holds(end - begin);
    for (std::size_t s = 0; s < samples; ++s) {
      for (std::size_t v = 0; v < needed.size(); ++v) {
        if (needed[v]) values[v] = assignments_[s * width + *needed[v]];
      }
      for (std::size_t i = begin; i < end; ++i) {
        holds[i - begin] += evaluator.evaluate(pool, expressions[i], values) ? 1U : 0U;
      }
    }
    for (std::size_t i = begin; i < end; ++i) {
      result[i] = static_cast<float>(holds[i - begin]) / static_cast<float>(samples);
    }
  });
  return result;
}

void ExactModel::write(SafetensorsWriter& out) const {
  const std::size_t width = names_.size();
  out.add(kAssignments, {width == 0 ? 0 : assignments_.size() / width, width}, std::span(assignments_));
  out.add(kNoise, {1}, std::span(&label_noise_, 1));
  out.set_metadata(kEquationModelKey, kName);
  out.set_metadata(kVocabularyKey, names_to_json(names_));
}

std::unique_ptr<EquationModel> fit_exact(ExpressionPool& pool, const EquationList& equations, GibbsOptions options) {
  options.keep_assignments = true;
  const GibbsResult result = gibbs_reason(pool, equations, {}, options);
  return std::make_unique<ExactModel>(pool.variables(), result.assignments, result.noise);
}

std::unique_ptr<const EquationKind> exact_kind() { return std::make_unique<ExactKind>(); }

}  // namespace linn
