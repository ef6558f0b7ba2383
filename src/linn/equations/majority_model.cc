#include "linn/equations/majority_model.h"

#include "linn/model/names_json.h"

namespace linn {
namespace {

constexpr const char* kName = "majority";
constexpr const char* kShare = "share";

struct NoOptions {};

class MajorityKind : public EquationKindOf<NoOptions> {
 public:
  std::string_view name() const override { return kName; }
  double cost() const override { return 1.0; }
  std::vector<std::string> search_ranges(Preset) const override { return {}; }

  std::unique_ptr<EquationModel> fit(const Settings&, EquationData& data, Context&) const override {
    double share = 0.0;
    for (const float label : data.train.labels) share += static_cast<double>(label);
    share /= static_cast<double>(data.train.size());
    return std::make_unique<MajorityModel>(data.pool.variables(), static_cast<float>(share));
  }
  std::unique_ptr<EquationModel> load(const SafetensorsFile& in) const override {
    return std::make_unique<MajorityModel>(names_from_json(in.metadata(kVocabularyKey), in.path()),
                                           in.values<float>(kShare, {1})[0]);
  }

 protected:
  NoOptions options(Preset, const DataSize&, std::size_t) const override { return {}; }
  OptionTable<NoOptions> table() const override { return {}; }
};

}  // namespace

std::vector<float> MajorityModel::probabilities(ExpressionPool& pool, std::span<const Expr> expressions,
                                                ThreadPool&) const {
  known_variables(pool, expressions, names_);
  return std::vector<float>(expressions.size(), share_);
}

void MajorityModel::write(SafetensorsWriter& out) const {
  out.add(kShare, {1}, std::span(&share_, 1));
  out.set_metadata(kEquationModelKey, kName);
  out.set_metadata(kVocabularyKey, names_to_json(names_));
}

std::unique_ptr<const EquationKind> majority_kind() { return std::make_unique<MajorityKind>(); }

}  // namespace linn
