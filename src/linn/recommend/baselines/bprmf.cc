// BPRMF (Rendle et al., 2009): matrix factorization, score = u·v + b_item.
//
// There is no user bias: it would be the same for all items of a group, cancel in both losses, and change no ranking.
// An unknown user is scored with the mean of all query vectors.

#include "linn/recommend/baselines/baselines.h"
#include "linn/recommend/baselines/query_model_kind.h"

namespace linn {
namespace {

class BprmfKind : public QueryModelKind<QueryModelOptions> {
 public:
  std::string_view name() const override { return "bprmf"; }
  double cost() const override { return 40.0; }

 protected:
  bool histories_suit(const DataSize&) const override { return false; }
  BestSettings best() const override { return {2e-3, 1e-3, 0.2F, 0}; }
  QueryDesign design(const QueryModelOptions&) const override { return {.user_vectors = true, .item_biases = true}; }
  // Without the options of the history, which BPRMF does not read.
  OptionTable<QueryModelOptions> table() const override { return query_model_option_table(); }
};

}  // namespace

std::unique_ptr<const RecommenderKind> bprmf_kind() { return std::make_unique<BprmfKind>(); }

}  // namespace linn
