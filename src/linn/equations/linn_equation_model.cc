#include "linn/equations/linn_equation_model.h"

#include <algorithm>
#include <array>
#include <memory>

#include "linn/base/logistic.h"
#include "linn/nn/forward_run.h"
#include "linn/plan/plan_builder.h"
#include "linn/train/training_device.h"

namespace linn {
namespace {

constexpr const char* kFormKey = "form";

// Sim(v, T) / (Sim(v, T) + Sim(v, F)) for every variable.
std::vector<float> variable_truths(const LogicModel& model, ThreadPool& threads) {
  // T and F are the first nodes of every plan, even of an empty one.
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
                                      ThreadPool& threads, TrainingDevice* device) {
  std::vector<std::unique_ptr<ForwardRun>> runs;
  std::vector<std::unique_ptr<DeviceEvaluation>> on_device;
  for (const LogicModel* model : models) {
    if (device != nullptr) {
      on_device.push_back(device->evaluate(model->network));
    } else {
      runs.push_back(std::make_unique<ForwardRun>(model->network, threads));
    }
  }
  std::vector<float> device_scores;
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
      std::span<const float> scores;
      if (device != nullptr) {
        device_scores.resize(plan.roots.size());
        on_device[i]->scores(plan, models[i]->variables.row(0), device_scores);
        scores = device_scores;
      } else {
        scores = runs[i]->forward(plan, models[i]->variables.row(0));
      }
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
  return mean_probabilities(members(), forms, threads, device_);
}

std::vector<float> LinnEquationModel::variables(ThreadPool& threads) const {
  std::vector<float> mean(names().size());
  for (const LogicModel& model : networks_.members) {
    const std::vector<float> truths = variable_truths(model, threads);
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += truths[i] / static_cast<float>(networks_.members.size());
  }
  return require_finite(std::move(mean));
}

void LinnEquationModel::write(SafetensorsWriter& out) const { add_linn_models(out, names(), members(), form_); }

std::vector<float> solve_by_clusters(const LogicModel& model, ClusterDistance distance, std::uint64_t seed) {
  const std::size_t n = model.variables.rows();
  const std::size_t d = model.variables.width();
  KMeansOptions options;
  options.distance = distance;
  Random random(seed);
  const Clusters clusters = k_means({model.variables.row(0), n, d, d}, options, random);

  const Similarity& similarity = model.network.similarity();
  std::vector<float> scratch(similarity.scratch(1));
  std::array<double, 2> like_true{};
  for (std::size_t i = 0; i < n; ++i) {
    float score = 0.0F;
    similarity.score(1, {model.variables.row(i), d}, {model.network.true_vector().data(), 0}, &score, scratch.data());
    like_true[clusters.cluster[i]] += logistic(static_cast<double>(score));
  }
  for (std::size_t c = 0; c < 2; ++c) like_true[c] /= static_cast<double>(std::max<std::size_t>(clusters.size[c], 1));
  // An empty cluster counts as 1/2: the other one is true if its mean similarity to T is higher.
  for (std::size_t c = 0; c < 2; ++c) {
    if (clusters.size[c] == 0) like_true[c] = 0.5;
  }
  const std::size_t t = like_true[0] >= like_true[1] ? 0 : 1;

  std::vector<float> p(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double to_true = clusters.distance[i][t];
    const double to_false = clusters.distance[i][1 - t];
    const double sum = to_true + to_false;
    // If both centres coincide, the cluster decides.
    p[i] = sum > 0.0 ? static_cast<float>(to_false / sum) : clusters.cluster[i] == t ? 1.0F : 0.0F;
  }
  return p;
}

}  // namespace linn
