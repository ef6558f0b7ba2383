#include "linn/recommend/baselines/query_design.h"

#include <cassert>

#include "linn/recommend/baselines/bprmf.h"
#include "linn/recommend/baselines/gru4rec.h"
#include "linn/recommend/baselines/narm.h"
#include "linn/recommend/baselines/sasrec.h"
#include "linn/recommend/baselines/stamp.h"
#include "linn/recommend/baselines/svdpp.h"

namespace linn {

QueryDesign query_design(RecommenderKind kind, const RecommendOptions& options) {
  switch (kind) {
    case RecommenderKind::kBprmf:
      return bprmf_design();
    case RecommenderKind::kSvdpp:
      return svdpp_design();
    case RecommenderKind::kStamp:
      return stamp_design(options);
    case RecommenderKind::kGru4rec:
      return gru4rec_design(options);
    case RecommenderKind::kNarm:
      return narm_design(options);
    case RecommenderKind::kSasrec:
      return sasrec_design(options);
    default:
      assert(false && "not a model with queries");
      return {};
  }
}

}  // namespace linn
