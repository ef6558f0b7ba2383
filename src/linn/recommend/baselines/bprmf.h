// BPRMF (Rendle et al., 2009): matrix factorisation, score = u·v + b_item.
//
// There is no user bias: it would be the same in all scores of a group, cancel in both losses, and change no ranking. A
// user unknown from training is scored with the mean of all query vectors.
#pragma once

#include <memory>

#include "linn/recommend/protocol/recommender_kind.h"

namespace linn {

std::unique_ptr<const RecommenderKind> bprmf_kind();

}  // namespace linn
