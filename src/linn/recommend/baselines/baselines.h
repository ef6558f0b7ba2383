// The models that LINN is compared with. Each is defined in the file of its name, with a reference to its paper.
#pragma once

#include <memory>

#include "linn/recommend/protocol/recommender_kind.h"

namespace linn {

// Fitted in closed form.
std::unique_ptr<const RecommenderKind> popularity_kind();
std::unique_ptr<const RecommenderKind> item_knn_kind();
std::unique_ptr<const RecommenderKind> ease_kind();  // fit() throws InputError for catalogues that do not fit in memory

// Trained by gradient descent: query models, see query_design.h.
std::unique_ptr<const RecommenderKind> bprmf_kind();
std::unique_ptr<const RecommenderKind> svdpp_kind();
std::unique_ptr<const RecommenderKind> stamp_kind();
std::unique_ptr<const RecommenderKind> gru4rec_kind();
std::unique_ptr<const RecommenderKind> narm_kind();
std::unique_ptr<const RecommenderKind> sasrec_kind();

}  // namespace linn
