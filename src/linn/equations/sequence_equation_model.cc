#include "linn/equations/sequence_equation_model.h"

#include <string>

#include "linn/base/logistic.h"
#include "linn/equations/sequence_options.h"
#include "linn/equations/sequence_run.h"
#include "linn/model/names_json.h"
#include "linn/model/options_json.h"

namespace linn {
namespace {

constexpr const char* kNetworkKey = "network";

std::string network_to_json(const SequenceNetworkOptions& options) {
  return options_to_json(sequence_network_option_table(options.kind), options);
}

void read_tensors(const SafetensorsFile& in, SequenceModel& model) {
  read_parameters(in, model.network.parameters());
  in.copy(model.tokens.name(), {model.tokens.rows(), model.tokens.width()}, model.tokens.values());
}

}  // namespace

void add_sequence_model(SafetensorsWriter& out, const Vocabulary& names, const SequenceModel& model) {
  add_parameters(out, model.network.parameters());
  out.add(model.tokens.name(), {model.tokens.rows(), model.tokens.width()}, model.tokens.values());
  out.set_metadata(kEquationModelKey, std::string(sequence_kind_name(model.network.options().kind)));
  out.set_metadata(kNetworkKey, network_to_json(model.network.options()));
  out.set_metadata(kVocabularyKey, names_to_json(names));
}

SequenceEquationModel SequenceEquationModel::load(const SafetensorsFile& in) {
  const auto kind = sequence_kind(in.metadata(kEquationModelKey));
  if (!kind) throw in.error("this is not a sequence model");
  SequenceNetworkOptions options;
  options.kind = *kind;
  options_from_json(sequence_network_option_table(*kind), in.metadata(kNetworkKey), in.path(), options);
  Vocabulary names = names_from_json(in.metadata(kVocabularyKey), in.path());
  SequenceModel model(options, names.size());
  read_tensors(in, model);
  return {std::move(names), std::move(model)};
}

void add_checkpoint(SafetensorsWriter& out, const Vocabulary& names, const SequenceModel& model, Optimizer& optimizer,
                    const TrainingPosition& position) {
  add_sequence_model(out, names, model);
  add_optimizer(out, optimizer);
  add_position(out, position);
}

TrainingPosition load_checkpoint(const SafetensorsFile& in, const Vocabulary& names, SequenceModel& model,
                                 Optimizer& optimizer) {
  if (in.metadata(kEquationModelKey) != sequence_kind_name(model.network.options().kind) ||
      in.metadata(kNetworkKey) != network_to_json(model.network.options())) {
    throw in.error("the network of this checkpoint has another shape");
  }
  if (in.metadata(kVocabularyKey) != names_to_json(names)) throw in.error("this checkpoint has other variables");
  read_tensors(in, model);
  read_optimizer(in, optimizer);
  return read_position(in);
}

std::vector<float> sequence_probabilities(const SequenceModel& model, std::span<const NormalForm> forms,
                                          ThreadPool& threads) {
  constexpr std::size_t kChunk = 64;
  std::vector<TokenSequences> chunks((forms.size() + kChunk - 1) / kChunk);
  for (std::size_t i = 0; i < forms.size(); ++i) chunks[i / kChunk].add(forms[i]);
  std::vector<float> result(forms.size());
  std::vector<SequenceRun> runs(threads.threads());
  threads.run(chunks.size(), [&](std::size_t i, std::size_t thread) {
    const std::span<float> scores = std::span(result).subspan(i * kChunk, chunks[i].size());
    runs[thread].forward(model.network, model.tokens, chunks[i], scores);
    for (float& score : scores) score = logistic(score);
  });
  return result;
}

}  // namespace linn
