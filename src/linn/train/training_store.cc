#include "linn/train/training_store.h"

#include <cmath>

#include "linn/base/file.h"
#include "linn/base/json.h"

namespace linn {
namespace {

// Writes a single value as a number, several as a list, and NaN as null.
void add_metrics(Json& object, const Metrics& metrics) {
  const auto value_of = [](double value) { return std::isnan(value) ? Json(nullptr) : Json(value); };
  for (const Metric& metric : metrics) {
    if (metric.values.size() == 1) {
      object[metric.name] = value_of(metric.values[0]);
      continue;
    }
    Json list = Json::array();
    for (const double value : metric.values) list.push_back(value_of(value));
    object[metric.name] = std::move(list);
  }
}

std::optional<SafetensorsFile> read_if_there(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  return SafetensorsFile::read(path);
}

}  // namespace

std::optional<SafetensorsFile> FolderStore::pretraining(std::size_t member) const {
  return read_if_there(folder_.pretraining_path(member));
}

void FolderStore::save_pretraining(std::size_t member, SafetensorsWriter& out) {
  out.write(folder_.pretraining_file(member), Links::kReplace);
}

std::optional<SafetensorsFile> FolderStore::checkpoint() const { return read_if_there(folder_.checkpoint_path()); }

void FolderStore::keep_records(std::size_t epochs) {
  if (config_) folder_.replace_config(*config_);
  config_.reset();
  folder_.keep_metrics(epochs);
}

void FolderStore::append(const EpochRecord& record) {
  Json line = {{"epoch", record.epoch}, {"loss", record.loss}};
  add_metrics(line, record.training);
  Json validation = nullptr;
  if (!record.validation.empty()) add_metrics(validation, record.validation);
  line["validation"] = std::move(validation);
  line["seconds"] = record.seconds;
  folder_.append_metrics(line.dump());
}

void FolderStore::save_model(SafetensorsWriter& out) {
  out.set_metadata("config", folder_.config());
  out.write(folder_.model_path(), Links::kReplace);
}

void FolderStore::save_snapshot(std::size_t epoch, SafetensorsWriter& out) {
  out.set_metadata("config", folder_.config());
  out.write(folder_.snapshot_file(epoch), Links::kReplace);
}

void FolderStore::save_checkpoint(SafetensorsWriter& out) {
  out.write(folder_.checkpoint_path(), Links::kReplace);
  folder_.remove_pretraining();
}

// An empty text stands for no file.
std::optional<SafetensorsFile> SharedStore::read(
    const std::function<std::filesystem::path(const RunFolder&)>& path) const {
  std::string bytes = from_first(processes_, [&] {
    const std::filesystem::path file = path(*folder_);
    return std::filesystem::exists(file) ? read_file(file) : std::string();
  });
  if (bytes.empty()) return std::nullopt;
  return SafetensorsFile::parse(std::move(bytes), "the checkpoint of the first process");
}

std::optional<SafetensorsFile> SharedStore::pretraining(std::size_t member) const {
  return read([&](const RunFolder& folder) { return folder.pretraining_path(member); });
}
std::optional<SafetensorsFile> SharedStore::checkpoint() const {
  return read([](const RunFolder& folder) { return folder.checkpoint_path(); });
}
void SharedStore::save_pretraining(std::size_t member, SafetensorsWriter& out) {
  if (own_ != nullptr) own_->save_pretraining(member, out);
}
void SharedStore::keep_records(std::size_t epochs) {
  if (own_ != nullptr) own_->keep_records(epochs);
}
void SharedStore::append(const EpochRecord& record) {
  if (own_ != nullptr) own_->append(record);
}
void SharedStore::save_model(SafetensorsWriter& out) {
  if (own_ != nullptr) own_->save_model(out);
}
void SharedStore::save_snapshot(std::size_t epoch, SafetensorsWriter& out) {
  if (own_ != nullptr) own_->save_snapshot(epoch, out);
}
void SharedStore::save_checkpoint(SafetensorsWriter& out) {
  if (own_ != nullptr) own_->save_checkpoint(out);
}

}  // namespace linn
