#include "linn/recommend/baselines/bprmf.h"

namespace linn {

QueryDesign bprmf_design() { return {.user_vectors = true, .item_biases = true}; }

}  // namespace linn
