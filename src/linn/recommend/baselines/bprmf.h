// BPRMF (Rendle et al., 2009): matrix factorisation, score = u·v + b_item.
//
// A bias of the user would be the same in all scores of a group, fall out of their differences and so out of both
// losses, and change no ranking: there is none. A user who was not met in training is scored as the mean of all
// queries.
#pragma once

#include <memory>

#include "linn/recommend/protocol/recommender_kind.h"

namespace linn {

std::unique_ptr<const RecommenderKind> bprmf_kind();

}  // namespace linn
