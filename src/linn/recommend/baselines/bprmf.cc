#include "linn/recommend/baselines/bprmf.h"

#include "linn/recommend/baselines/query_model_kind.h"

namespace linn {

namespace {

class BprmfKind : public QueryModelKind<QueryModelOptions> {
 public:
  std::string_view name() const override { return "bprmf"; }
  double cost() const override { return 40.0; }

 protected:
  BestSettings best() const override { return {2e-3, 1e-3, 0.2F, 0}; }
  QueryDesign design(const QueryModelOptions&) const override { return {.user_vectors = true, .item_biases = true}; }
  // It does not read the history.
  OptionTable<QueryModelOptions> table() const override { return query_model_option_table(); }
};

}  // namespace

std::unique_ptr<const RecommenderKind> bprmf_kind() { return std::make_unique<BprmfKind>(); }

}  // namespace linn
