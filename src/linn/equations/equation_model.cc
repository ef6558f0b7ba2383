#include "linn/equations/equation_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "linn/base/error.h"
#include "linn/base/logistic.h"
#include "linn/equations/sequence_equation_model.h"
#include "linn/equations/variable_map.h"
#include "linn/logic/evaluate.h"
#include "linn/model/names_json.h"
#include "linn/model/safetensors.h"
#include "linn/nn/forward_run.h"
#include "linn/plan/plan_builder.h"

namespace linn {
namespace {

constexpr std::string_view kModelKey = "model";
constexpr std::string_view kFormKey = "form";
constexpr std::string_view kVocabularyKey = "vocabulary";

// The model's number of every variable that the expressions hold.
std::vector<std::optional<VariableId>> known_variables(const ExpressionPool& pool, std::span<const Expr> expressions,
                                                       const Vocabulary& names) {
  VariableMap map(pool.variables(), names);
  Walk walk;
  std::vector<std::optional<VariableId>> needed(pool.variables().size());
  for (const Expr root : expressions) {
    for (const Expr e : walk.post_order(pool, root)) {
      if (pool.op(e) == Op::kVariable) needed[pool.variable_of(e)] = map(pool.variable_of(e));
    }
  }
  return needed;
}

// Sim(v, T) / (Sim(v, T) + Sim(v, F)) for every variable.
std::vector<float> nearness_to_true(const LogicModel& model, ThreadPool& threads) {
  // T and F are the first nodes of any plan, also of an empty one.
  Plan plan;
  PlanBuilder().build(ExpressionBatch(), nullptr, plan);
  ForwardRun run(model.network, threads);
  run.forward(plan, nullptr);
  const std::size_t d = model.network.width();
  const std::size_t n = model.variables.rows();
  const Similarity& similarity = model.network.similarity();
  std::vector<float> scratch(similarity.scratch(n));
  std::vector<float> like_true(n);
  std::vector<float> like_false(n);
  similarity.score(n, {model.variables.row(0), d}, {run.vector(Plan::kTrue).data(), 0}, like_true.data(),
                   scratch.data());
  similarity.score(n, {model.variables.row(0), d}, {run.vector(Plan::kFalse).data(), 0}, like_false.data(),
                   scratch.data());
  for (std::size_t i = 0; i < n; ++i) {
    like_true[i] = logistic(like_true[i]) / (logistic(like_true[i]) + logistic(like_false[i]));
  }
  return like_true;
}

}  // namespace

std::vector<float> EquationModel::variables(ThreadPool& threads) const {
  ExpressionPool pool;
  std::vector<Expr> expressions;
  for (VariableId id = 0; id < names().size(); ++id) expressions.push_back(pool.variable(names().name(id)));
  return probabilities(pool, expressions, threads);
}

std::vector<NormalForm> network_forms(Form form, ExpressionPool& pool, std::span<const Expr> expressions,
                                      const Vocabulary& names) {
  Normalizer normalizer(pool);
  VariableMap map(pool.variables(), names);
  std::vector<NormalForm> forms;
  forms.reserve(expressions.size());
  for (const Expr e : expressions) {
    NormalForm& clauses = forms.emplace_back(normalizer.network_form(e, form));
    for (Literal& l : clauses.literals) l = Literal::of(map(l.variable()), l.negated());
  }
  return forms;
}

std::vector<float> mean_probabilities(std::span<const LogicModel* const> models, std::span<const NormalForm> forms,
                                      ThreadPool& threads) {
  std::vector<std::unique_ptr<ForwardRun>> runs;
  for (const LogicModel* model : models) runs.push_back(std::make_unique<ForwardRun>(model->network, threads));
  PlanBuilder builder;
  ExpressionBatch batch;
  Plan plan;
  std::vector<float> result(forms.size());
  constexpr std::size_t kBatch = 512;
  for (std::size_t begin = 0; begin < forms.size(); begin += kBatch) {
    batch.clear();
    for (const NormalForm& clauses : forms.subspan(begin, std::min(kBatch, forms.size() - begin))) batch.add(clauses);
    builder.build(batch, nullptr, plan);
    for (std::size_t i = 0; i < models.size(); ++i) {
      const std::span<const float> scores = runs[i]->forward(plan, models[i]->variables.row(0));
      for (std::size_t j = 0; j < scores.size(); ++j) {
        result[begin + j] += logistic(scores[j]) / static_cast<float>(models.size());
      }
    }
  }
  return result;
}

void save_linn_models(std::span<const LogicModel* const> models, Form form, const std::filesystem::path& path,
                      ModelNotes notes) {
  notes[std::string(kModelKey)] = "linn";
  notes[std::string(kFormKey)] = form == Form::kDnf ? "dnf" : "cnf";
  save_models(models, path, notes);
}

std::vector<float> LinnEquationModel::probabilities(ExpressionPool& pool, std::span<const Expr> expressions,
                                                    ThreadPool& threads) const {
  std::vector<const LogicModel*> models;
  for (const LogicModel& model : models_) models.push_back(&model);
  return mean_probabilities(models, network_forms(form_, pool, expressions, names()), threads);
}

std::vector<float> LinnEquationModel::variables(ThreadPool& threads) const {
  std::vector<float> mean(names().size());
  for (const LogicModel& model : models_) {
    const std::vector<float> near = nearness_to_true(model, threads);
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += near[i] / static_cast<float>(models_.size());
  }
  return mean;
}

void LinnEquationModel::save(const std::filesystem::path& path, const ModelNotes& notes) const {
  std::vector<const LogicModel*> models;
  for (const LogicModel& model : models_) models.push_back(&model);
  save_linn_models(models, form_, path, notes);
}

std::vector<float> MajorityModel::probabilities(ExpressionPool& pool, std::span<const Expr> expressions,
                                                ThreadPool&) const {
  known_variables(pool, expressions, names_);
  return std::vector<float>(expressions.size(), share_);
}

void MajorityModel::save(const std::filesystem::path& path, const ModelNotes& notes) const {
  SafetensorsWriter out;
  for (const auto& [key, value] : notes) out.set_metadata(key, value);
  out.add("share", {1}, std::span(&share_, 1));
  out.set_metadata(std::string(kModelKey), "majority");
  out.set_metadata(std::string(kVocabularyKey), names_to_json(names_));
  out.write(path);
}

std::vector<float> ExactModel::probabilities(ExpressionPool& pool, std::span<const Expr> expressions,
                                             ThreadPool& threads) const {
  const auto needed = known_variables(pool, expressions, names_);
  const std::size_t width = names_.size();
  // Without variables there is one assignment, the empty one.
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

void ExactModel::save(const std::filesystem::path& path, const ModelNotes& notes) const {
  SafetensorsWriter out;
  for (const auto& [key, value] : notes) out.set_metadata(key, value);
  const std::size_t width = names_.size();
  out.add("assignments", {width == 0 ? 0 : assignments_.size() / width, width}, std::span(assignments_));
  out.add("noise", {1}, std::span(&noise_, 1));
  out.set_metadata(std::string(kModelKey), "exact");
  out.set_metadata(std::string(kVocabularyKey), names_to_json(names_));
  out.write(path);
}

std::unique_ptr<EquationModel> load_equation_model(const std::filesystem::path& path) {
  const SafetensorsFile in = SafetensorsFile::read(path);
  const std::string kind = in.metadata(kModelKey);
  if (kind == "linn") {
    const Form form = in.metadata(kFormKey) == "cnf" ? Form::kCnf : Form::kDnf;
    return std::make_unique<LinnEquationModel>(load_models(in), form);
  }
  if (sequence_kind(kind)) return std::make_unique<SequenceEquationModel>(load_sequence_model(in));
  Vocabulary names = names_from_json(in.metadata(kVocabularyKey), path);
  if (kind == "majority") return std::make_unique<MajorityModel>(std::move(names), in.values<float>("share", {1})[0]);
  if (kind == "exact") {
    const auto assignments = in.values<std::uint8_t>("assignments");
    if (names.size() != 0 && assignments.size() % names.size() != 0) {
      throw InputError("the assignments do not fit the vocabulary", Place{path.string(), 0, 0});
    }
    return std::make_unique<ExactModel>(std::move(names),
                                        std::vector<std::uint8_t>(assignments.begin(), assignments.end()),
                                        in.values<double>("noise", {1})[0]);
  }
  throw InputError(fmt::format("a model of the kind '{}' answers no equations", kind), Place{path.string(), 0, 0});
}

}  // namespace linn
