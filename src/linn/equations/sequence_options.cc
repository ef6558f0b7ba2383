#include "linn/equations/sequence_options.h"

#include "linn/train/training_option_table.h"

namespace linn {
namespace {

template <class Struct, class Access>
void add_sequence_network_options(OptionTable<Struct>& table, SequenceKind kind, Access network) {
  constexpr std::uint64_t kWidest = 4096;
  table.integer(
      "d", "Width of the tokens' vectors", 1, kWidest, [network](auto& o) -> auto& { return network(o).width; });
  table.integer(
      "hidden", kind == SequenceKind::kCnn ? "Filters of each width" : "States of each direction", 1,
      kWidest, [network](auto& o) -> auto& { return network(o).hidden; });
  if (kind == SequenceKind::kCnn) {
    table.integer(
        "widest", "Filters have the widths 2 to this", 2,
        16, [network](auto& o) -> auto& { return network(o).widest; });
  }
  table.template choice<Form>(
      "form", "Normal form of the expressions",
      {{"dnf", Form::kDnf}, {"cnf", Form::kCnf}}, [network](auto& o) -> auto& { return network(o).form; });
}

}  // namespace

SequenceOptions sequence_preset(SequenceKind kind, EquationPreset preset, std::size_t equations) {
  // Their optimizer is LINN's, so that the presets differ here as they do there.
  SequenceOptions options;
  options.network.kind = kind;
  options.optimizer = equation_preset(preset, equations).optimizer;
  options.optimizer.parameter_rate = 1.0;  // they have no modules that were taught before
  if (preset == EquationPreset::kBest) options.init = 0.1F;
  return options;
}

OptionTable<SequenceNetworkOptions> sequence_network_option_table(SequenceKind kind) {
  OptionTable<SequenceNetworkOptions> table;
  add_sequence_network_options(
      table, kind, [](auto& o) -> auto& { return o; });
  return table;
}

OptionTable<SequenceOptions> sequence_option_table(SequenceKind kind) {
  OptionTable<SequenceOptions> table;
  add_sequence_network_options(
      table, kind, [](auto& o) -> auto& { return o.network; });
  table.number(
      "init", "Deviation of the initial values", 1e-6, 10.0, [](auto& o) -> auto& { return o.init; });
  table.number(
      "flip_rate", "Share of labels expected to be wrong", 0.0, 0.49, [](auto& o) -> auto& { return o.flip_rate; });
  table.number(
      "dropout", "Share of a token's numbers dropped as it enters the network", 0.0, 0.95,
      [](auto& o) -> auto& { return o.dropout; });
  add_training_options(table);
  return table;
}

}  // namespace linn
