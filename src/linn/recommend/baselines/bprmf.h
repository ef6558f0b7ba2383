// BPRMF (Rendle et al., 2009): matrix factorisation, score = u·v + b_item.
//
// A bias of the user would be the same in all scores of a group, fall out of their differences and so out of both
// losses, and change no ranking: there is none. A user who was not met in training is scored as the mean of all
// queries.
#pragma once

#include "linn/recommend/baselines/query_design.h"

namespace linn {

QueryDesign bprmf_design();

}  // namespace linn
