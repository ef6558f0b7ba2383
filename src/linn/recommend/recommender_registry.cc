#include "linn/recommend/recommender_registry.h"

#include "linn/recommend/baselines/baselines.h"
#include "linn/recommend/linn/linn_recommender_options.h"

namespace linn {

const Registry<RecommenderKind>& recommender_registry() {
  static const Registry<RecommenderKind> registry = [] {
    Registry<RecommenderKind> kinds;
    kinds.add(linn_kind());
    kinds.add(linn_without_laws_kind());
    kinds.add(bprmf_kind());
    kinds.add(svdpp_kind());
    kinds.add(stamp_kind());
    kinds.add(gru4rec_kind());
    kinds.add(narm_kind());
    kinds.add(sasrec_kind());
    kinds.add(ease_kind());
    kinds.add(item_knn_kind());
    kinds.add(popularity_kind());
    return kinds;
  }();
  return registry;
}

}  // namespace linn
