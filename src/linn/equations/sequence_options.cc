#include "linn/equations/sequence_options.h"

#include "linn/equations/equation_options.h"

namespace linn {

SequenceOptions sequence_preset(SequenceKind kind, Preset preset, std::size_t equations, std::size_t width) {
  SequenceOptions options;
  options.network.kind = kind;
  if (width != 0) options.network.width = width;
  // The same optimizer as LINN under each preset.
  options.optimizer = equation_preset(preset, equations).optimizer;
  options.optimizer.parameter_rate = 1.0;  // there are no pretrained modules
  if (preset == Preset::kBest) options.init = 0.1F;
  return options;
}

OptionTable<SequenceNetworkOptions> sequence_network_option_table(SequenceKind kind) {
  constexpr std::uint64_t kWidest = 4096;
  OptionTable<SequenceNetworkOptions> table;
  table.integer("d", "Width of the tokens' vectors", 1, kWidest, &SequenceNetworkOptions::width);
  table.integer("hidden", kind == SequenceKind::kCnn ? "Filters of each width" : "States of each direction", 1, kWidest,
                &SequenceNetworkOptions::hidden);
  if (kind == SequenceKind::kCnn) {
    table.integer("widest", "Filters have the widths 2 to this", 2, 16, &SequenceNetworkOptions::widest);
  }
  table.choice<Form>("form", "Normal form of the expressions", {{"dnf", Form::kDnf}, {"cnf", Form::kCnf}},
                     &SequenceNetworkOptions::form);
  return table;
}

OptionTable<SequenceOptions> sequence_option_table(SequenceKind kind) {
  OptionTable<SequenceOptions> table;
  table.include(sequence_network_option_table(kind), &SequenceOptions::network);
  table.include<TrainingOptions>(training_option_table());
  return table;
}

}  // namespace linn
