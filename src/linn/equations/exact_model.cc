#include "linn/equations/exact_model.h"

#include <algorithm>

#include "linn/base/error.h"
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
    gibbs.stop = context.pool().stop();
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
  std::vector<float> result(expressions.size(), 0.5F);
  if (bits_.size() == 0) return result;
  std::vector<const std::uint64_t*> variables(needed.size());
  for (std::size_t v = 0; v < needed.size(); ++v) {
    if (needed[v]) variables[v] = bits_.of(*needed[v]);
  }
  std::vector<AssignmentCounter> counters(threads.threads());
  constexpr std::size_t kChunk = 64;
  threads.run((expressions.size() + kChunk - 1) / kChunk, [&](std::size_t chunk, std::size_t thread) {
    const std::size_t end = std::min((chunk + 1) * kChunk, expressions.size());
    for (std::size_t i = chunk * kChunk; i < end; ++i) {
      const std::size_t holds = counters[thread].count(pool, expressions[i], bits_, variables);
      result[i] = static_cast<float>(holds) / static_cast<float>(bits_.size());
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
