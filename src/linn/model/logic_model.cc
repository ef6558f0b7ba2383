#include "linn/model/logic_model.h"

#include <fmt/format.h>

#include <utility>

#include "linn/base/error.h"
#include "linn/base/options.h"
#include "linn/model/names_json.h"
#include "linn/model/options_json.h"
#include "linn/model/safetensors.h"
#include "linn/nn/network_option_table.h"

namespace linn {
namespace {

constexpr std::string_view kNetworkKey = "network";
constexpr std::string_view kVocabularyKey = "vocabulary";
constexpr std::string_view kMembersKey = "members";
constexpr std::string_view kTrueName = "true";

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw InputError(why, Place{path.string(), 0, 0});
}

// The tensors of a single network have plain names; those of several are told apart by their number.
std::string prefix_of(std::size_t member, std::size_t members) {
  return members == 1 ? std::string() : fmt::format("{}.", member);
}

void add_tensors(SafetensorsWriter& out, const LogicModel& model, const std::string& prefix) {
  add_parameters(out, model.network.parameters(), prefix);
  out.add(fmt::format("{}{}", prefix, kTrueName), {model.network.width()}, model.network.true_vector());
  out.add(prefix + model.variables.name(), {model.variables.rows(), model.variables.width()}, model.variables.values());
}

void read_tensors(const SafetensorsFile& in, LogicModel& model, const std::string& prefix) {
  read_parameters(in, model.network.parameters(), prefix);
  in.copy(fmt::format("{}{}", prefix, kTrueName), {model.network.width()}, model.network.true_vector());
  in.copy(prefix + model.variables.name(), {model.variables.rows(), model.variables.width()}, model.variables.values());
  model.network.prepare();
}

// What all of the networks share.
void add_description(SafetensorsWriter& out, const Vocabulary& names, const LogicModel& first, std::size_t members) {
  out.set_metadata(std::string(kMembersKey), fmt::format("{}", members));
  out.set_metadata(std::string(kNetworkKey), options_to_json(network_option_table(), first.network.options()));
  out.set_metadata(std::string(kVocabularyKey), names_to_json(names));
}

// Each has tensors of its own, so a file cannot claim more than it holds.
std::size_t members_of(const SafetensorsFile& in) {
  try {
    return options_detail::parse_integer(kMembersKey, in.metadata(kMembersKey), 1, in.tensors().size());
  } catch (const InputError& error) {
    throw error.in_file(in.path().string(), 0);
  }
}

// Options that the file does not know, because they are newer, have their defaults.
NetworkOptions network_of(const SafetensorsFile& in) {
  NetworkOptions options;
  options_from_json(network_option_table(), in.metadata(kNetworkKey), in.path(), options);
  return options;
}

}  // namespace

void add_models(SafetensorsWriter& out, const Vocabulary& names, std::span<const LogicModel* const> models) {
  for (std::size_t i = 0; i < models.size(); ++i) add_tensors(out, *models[i], prefix_of(i, models.size()));
  add_description(out, names, *models[0], models.size());
}

LogicEnsemble load_models(const SafetensorsFile& in) {
  const NetworkOptions options = network_of(in);
  LogicEnsemble ensemble;
  ensemble.names = names_from_json(in.metadata(kVocabularyKey), in.path());
  const std::size_t members = members_of(in);
  for (std::size_t i = 0; i < members; ++i) {
    read_tensors(in, ensemble.members.emplace_back(options, ensemble.names.size()), prefix_of(i, members));
  }
  return ensemble;
}

void add_checkpoint(SafetensorsWriter& out, const Vocabulary& names, std::span<const TrainedModel> models,
                    const TrainingPosition& position) {
  for (std::size_t i = 0; i < models.size(); ++i) {
    add_tensors(out, *models[i].model, prefix_of(i, models.size()));
    add_optimizer(out, *models[i].optimizer, prefix_of(i, models.size()));
  }
  add_description(out, names, *models[0].model, models.size());
  add_position(out, position);
}

TrainingPosition load_checkpoint(const SafetensorsFile& in, const Vocabulary& names,
                                 std::span<const TrainedModel> models) {
  const auto text = [](const NetworkOptions& options) { return options_to_json(network_option_table(), options); };
  if (text(network_of(in)) != text(models[0].model->network.options())) {
    refuse(in.path(), "the network of this checkpoint has another shape");
  }
  if (in.metadata(kVocabularyKey) != names_to_json(names)) {
    refuse(in.path(), "this checkpoint was made for other variables");
  }
  if (members_of(in) != models.size()) {
    refuse(in.path(), fmt::format("this checkpoint holds {} networks, not {}", members_of(in), models.size()));
  }
  for (std::size_t i = 0; i < models.size(); ++i) {
    read_tensors(in, *models[i].model, prefix_of(i, models.size()));
    read_optimizer(in, *models[i].optimizer, prefix_of(i, models.size()));
  }
  return read_position(in);
}

}  // namespace linn
