#include "linn/equations/sequence_equation_model.h"

#include <algorithm>

#include "linn/base/error.h"
#include "linn/base/logistic.h"
#include "linn/equations/sequence_options.h"
#include "linn/equations/sequence_run.h"
#include "linn/equations/variable_map.h"
#include "linn/model/names_json.h"
#include "linn/model/options_json.h"

namespace linn {
namespace {

constexpr std::string_view kModelKey = "model";
constexpr std::string_view kNetworkKey = "network";
constexpr std::string_view kVocabularyKey = "vocabulary";

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw InputError(why, Place{path.string(), 0, 0});
}

std::string network_to_json(const SequenceNetworkOptions& options) {
  return options_to_json(sequence_network_option_table(options.kind), options);
}

SequenceNetworkOptions network_from_json(SequenceKind kind, const SafetensorsFile& in) {
  SequenceNetworkOptions options;
  options.kind = kind;
  options_from_json(sequence_network_option_table(kind), in.metadata(kNetworkKey), in.path(), options);
  return options;
}

void describe(SafetensorsWriter& out, const SequenceModel& model) {
  add_parameters(out, model.network.parameters());
  out.add(model.tokens.name(), {model.tokens.rows(), model.tokens.width()}, model.tokens.values());
  out.set_metadata(std::string(kModelKey), std::string(sequence_kind_name(model.network.options().kind)));
  out.set_metadata(std::string(kNetworkKey), network_to_json(model.network.options()));
  out.set_metadata(std::string(kVocabularyKey), names_to_json(model.names));
}

void read_tensors(const SafetensorsFile& in, SequenceModel& model) {
  read_parameters(in, model.network.parameters());
  in.copy(model.tokens.name(), {model.tokens.rows(), model.tokens.width()}, model.tokens.values());
}

}  // namespace

void save_sequence_model(const SequenceModel& model, const std::filesystem::path& path, const ModelNotes& notes) {
  SafetensorsWriter out;
  for (const auto& [key, value] : notes) out.set_metadata(key, value);
  describe(out, model);
  out.write(path);
}

SequenceModel load_sequence_model(const SafetensorsFile& in) {
  const auto kind = sequence_kind(in.metadata(kModelKey));
  if (!kind) refuse(in.path(), "is not a model that reads sequences");
  SequenceModel model(network_from_json(*kind, in), names_from_json(in.metadata(kVocabularyKey), in.path()));
  read_tensors(in, model);
  return model;
}

void save_checkpoint(const SequenceModel& model, Optimizer& optimizer, const TrainingPosition& position,
                     const std::filesystem::path& path) {
  SafetensorsWriter out;
  describe(out, model);
  write_checkpoint(out, optimizer, position, path);
}

TrainingPosition load_checkpoint(SequenceModel& model, Optimizer& optimizer, const std::filesystem::path& path) {
  const SafetensorsFile in = SafetensorsFile::read(path);
  if (in.metadata(kModelKey) != sequence_kind_name(model.network.options().kind) ||
      in.metadata(kNetworkKey) != network_to_json(model.network.options())) {
    refuse(path, "the network of this checkpoint has another shape");
  }
  if (in.metadata(kVocabularyKey) != names_to_json(model.names)) {
    refuse(path, "this checkpoint was made for other variables");
  }
  read_tensors(in, model);
  return read_training_state(in, optimizer);
}

std::vector<float> sequence_probabilities(const SequenceModel& model, ExpressionPool& pool,
                                          std::span<const Expr> expressions, ThreadPool& threads) {
  Normalizer normalizer(pool);
  VariableMap map(pool.variables(), model.names);
  constexpr std::size_t kChunk = 64;
  std::vector<TokenSequences> chunks((expressions.size() + kChunk - 1) / kChunk);
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    NormalForm clauses = normalizer.network_form(expressions[i], model.network.options().form);
    for (Literal& l : clauses.literals) l = Literal::of(map(l.variable()), l.negated());
    chunks[i / kChunk].add(clauses);
  }
  std::vector<float> result(expressions.size());
  std::vector<SequenceRun> runs(threads.threads());
  threads.run(chunks.size(), [&](std::size_t i, std::size_t thread) {
    const std::span<float> scores = std::span(result).subspan(i * kChunk, chunks[i].size());
    runs[thread].forward(model.network, model.tokens, chunks[i], scores);
    for (float& score : scores) score = logistic(score);
  });
  return result;
}

}  // namespace linn
