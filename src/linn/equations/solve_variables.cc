#include "linn/equations/solve_variables.h"

#include <array>

#include "linn/base/logistic.h"

namespace linn {

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
  // A cluster without vectors says nothing: the other is then true if it is more like T than not.
  for (std::size_t c = 0; c < 2; ++c) {
    if (clusters.size[c] == 0) like_true[c] = 0.5;
  }
  const std::size_t t = like_true[0] >= like_true[1] ? 0 : 1;

  std::vector<float> p(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double to_true = clusters.distance[i][t];
    const double to_false = clusters.distance[i][1 - t];
    const double sum = to_true + to_false;
    // Where both centres are the same vector, the cluster alone decides.
    p[i] = sum > 0.0 ? static_cast<float>(to_false / sum) : clusters.cluster[i] == t ? 1.0F : 0.0F;
  }
  return p;
}

}  // namespace linn
