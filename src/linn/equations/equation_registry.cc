#include "linn/equations/equation_registry.h"

#include <fmt/format.h>

#include "linn/equations/exact_model.h"
#include "linn/equations/linn_equations.h"
#include "linn/equations/majority_model.h"
#include "linn/equations/sequence_equations.h"

namespace linn {

const Registry<EquationKind>& equation_registry() {
  static const Registry<EquationKind> registry = [] {
    Registry<EquationKind> kinds;
    kinds.add(linn_equation_kind());
    kinds.add(linn_equation_without_laws_kind());
    kinds.add(bi_rnn_kind());
    kinds.add(bi_lstm_kind());
    kinds.add(cnn_kind());
    kinds.add(exact_kind());
    kinds.add(majority_kind());
    return kinds;
  }();
  return registry;
}

std::unique_ptr<EquationModel> load_equation_model(const SafetensorsFile& in) {
  const std::string& name = in.metadata(kEquationModelKey);
  const EquationKind* kind = equation_registry().find(name);
  if (kind == nullptr) throw in.error(fmt::format("'{}' is not a kind of model for equations", name));
  return build_model(in, [&] { return kind->load(in); });
}

}  // namespace linn
