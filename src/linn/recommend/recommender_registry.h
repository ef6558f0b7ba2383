// All kinds of recommenders.
#pragma once

#include "linn/recommend/protocol/recommender_kind.h"

namespace linn {

const Registry<RecommenderKind>& recommender_registry();

}  // namespace linn
