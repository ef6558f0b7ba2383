#include "linn/train/starting_point.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <list>
#include <string>

#include "linn/base/error.h"
#include "linn/base/options.h"

namespace linn {
namespace {

bool fits(const TensorInfo& from, const TensorInfo& to, const std::vector<TableGrowth>& growth) {
  if (from.dtype != to.dtype || from.shape.size() != to.shape.size()) return false;
  if (from.shape == to.shape) return true;
  if (!std::ranges::equal(from.shape.begin() + 1, from.shape.end(), to.shape.begin() + 1, to.shape.end())) return false;
  return std::ranges::any_of(growth, [&](const TableGrowth& table) {
    return from.shape[0] >= table.before && from.shape[0] + (table.after - table.before) == to.shape[0];
  });
}

}  // namespace

TableGrowth growth_of(const Vocabulary& before, const Vocabulary& after, const std::string& data) {
  bool same = before.size() <= after.size();
  for (VariableId id = 0; same && id < before.size(); ++id) same = before.name(id) == after.name(id);
  if (!same) {
    throw InputError("the data of the run to continue from have changed since it was trained", Place{data, 0, 0});
  }
  return {before.size(), after.size()};
}

std::string with_base(std::string data_checksum, const SafetensorsFile* base) {
  if (base != nullptr) data_checksum.append("-").append(base->checksum());
  return data_checksum;
}

void check_continued(const Settings& base, const Settings& changed) {
  if (!changed.has("epochs")) return;  // fitted anew
  constexpr std::array<std::string_view, 22> kOfTraining = {"average",
                                                            "bpr_on",
                                                            "candidate_seed",
                                                            "count_occurrences",
                                                            "entropy",
                                                            "event_dropout",
                                                            "features",
                                                            "history",
                                                            "law_boost",
                                                            "law_boost_share",
                                                            "law_share",
                                                            "laws",
                                                            "learn_label_noise",
                                                            "length",
                                                            "length_norm",
                                                            "loss",
                                                            "negation_hides_variable",
                                                            "negatives",
                                                            "negative_sampling",
                                                            "order",
                                                            "select_by",
                                                            "train_on"};
  const auto training = training_option_table();
  for (const auto& [name, value] : changed.values()) {
    if (value == base.get(name) || training.find(name) != nullptr) continue;
    if (std::ranges::find(kOfTraining, name) != kOfTraining.end()) continue;
    throw InputError(fmt::format("{} is part of the structure of the model to continue from: it must stay {}, not {}",
                                 name, base.get(name), value));
  }
}

void check_base(const SafetensorsFile& base, std::string_view kind) {
  if (base.metadata("model") != kind) {
    throw base.error(fmt::format("holds a model of kind '{}', not '{}'", base.metadata("model"), kind));
  }
  base.require_finite();
}

void check_replay(const Settings& settings, const SafetensorsFile* base) {
  if (base != nullptr || !settings.has("replay")) return;
  if (settings.get("replay") == options_detail::number_text(TrainingOptions().replay)) return;
  throw InputError("replay is for a training that continues from a run");
}

// Through a checkpoint, which every task can write and read: the tensors that it shares with the model are replaced,
// those of the optimizer stay as they are before the first step.
void start_from(const StartingPoint& start, EpochTask& task) {
  std::string bytes;
  task.save_checkpoint({}, [&](SafetensorsWriter& out) { bytes = out.to_bytes(); });
  const SafetensorsFile initial = SafetensorsFile::parse(std::move(bytes), "the initial state");

  SafetensorsWriter out;
  for (const auto& [key, value] : initial.metadata()) {
    if (!SafetensorsWriter::is_reserved(key)) out.set_metadata(key, value);
  }
  std::list<std::string> replaced;  // a list, so that views of its elements stay valid
  for (const TensorInfo& tensor : initial.tensors()) {
    std::string_view values = initial.bytes(tensor);
    if (const TensorInfo* known = start.model->find(tensor.name)) {
      if (!fits(*known, tensor, start.growth)) {
        throw start.model->error(
            fmt::format("'{}' has the shape {}, expected {}: the training that continues from this "
                        "model must have its structure",
                        tensor.name, fmt::join(known->shape, " x "), fmt::join(tensor.shape, " x ")));
      }
      const std::string_view trained = start.model->bytes(*known);
      std::string& grown = replaced.emplace_back(values);
      std::ranges::copy(trained, grown.begin());
      values = grown;
    }
    out.add_bytes(tensor.name, tensor.dtype, tensor.shape, values);
  }
  task.load_checkpoint(SafetensorsFile::parse(out.to_bytes(), "the starting point"));
}

}  // namespace linn
