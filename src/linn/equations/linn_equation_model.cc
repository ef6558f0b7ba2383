#include "linn/equations/linn_equation_model.h"

#include <algorithm>
#include <memory>

#include "linn/base/logistic.h"
#include "linn/nn/forward_run.h"
#include "linn/plan/plan_builder.h"

namespace linn {
namespace {

constexpr const char* kFormKey = "form";

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

void add_linn_models(SafetensorsWriter& out, const Vocabulary& names, std::span<const LogicModel* const> models,
                     Form form) {
  out.set_metadata(kEquationModelKey, "linn");
  out.set_metadata(kFormKey, form == Form::kDnf ? "dnf" : "cnf");
  add_models(out, names, models);
}

LinnEquationModel LinnEquationModel::load(const SafetensorsFile& in) {
  const Form form = in.metadata(kFormKey) == "cnf" ? Form::kCnf : Form::kDnf;
  return LinnEquationModel(load_models(in), form);
}

std::vector<const LogicModel*> LinnEquationModel::members() const {
  std::vector<const LogicModel*> members;
  for (const LogicModel& model : networks_.members) members.push_back(&model);
  return members;
}

std::vector<float> LinnEquationModel::probabilities(std::span<const NormalForm> forms, ThreadPool& threads) const {
  return mean_probabilities(members(), forms, threads);
}

std::vector<float> LinnEquationModel::variables(ThreadPool& threads) const {
  std::vector<float> mean(names().size());
  for (const LogicModel& model : networks_.members) {
    const std::vector<float> near = nearness_to_true(model, threads);
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += near[i] / static_cast<float>(networks_.members.size());
  }
  return mean;
}

void LinnEquationModel::write(SafetensorsWriter& out) const { add_linn_models(out, names(), members(), form_); }

}  // namespace linn
