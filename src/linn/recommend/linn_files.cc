// LinnRecommender in files. A model holds a tensor for each matrix of the modules, T as `true`, the vectors as `items`
// and, if users have any, `users`, and the counts of the training rows. A state holds the same and the optimizer.
#include "linn/model/checkpoint.h"
#include "linn/recommend/linn_recommender.h"
#include "linn/train/logic_step_options.h"

namespace linn {
namespace {

ItemCounts read_counts(const SafetensorsFile& in, std::size_t items) {
  ItemCounts counts;
  counts.likes.resize(items);
  counts.users.resize(items);
  in.copy("likes_of_item", {items}, std::span(counts.likes));
  in.copy("users_of_item", {items}, std::span(counts.users));
  in.copy("all_users", {1}, std::span(&counts.all_users, 1));
  return counts;
}

}  // namespace

LinnRecommender::LinnRecommender(const SafetensorsFile& in, const RecommenderHeader& header)
    : LinnRecommender(header.kind, header.options, header.catalogue.users.size(),
                      read_counts(in, header.catalogue.items.size())) {
  read_values(in);
}

void LinnRecommender::add_values(SafetensorsWriter& out) const {
  add_parameters(out, network_.parameters());
  const std::size_t d = network_.width();
  out.add("true", {d}, network_.true_vector());
  out.add("items", {items(), d}, variables_.values().first(items() * d));
  if (users_ > 0) out.add("users", {users_, d}, variables_.values().subspan(items() * d));
}

void LinnRecommender::read_values(const SafetensorsFile& in) {
  read_parameters(in, network_.parameters());
  const std::size_t d = network_.width();
  in.copy("true", {d}, network_.true_vector());
  in.copy("items", {items(), d}, variables_.values().first(items() * d));
  if (users_ > 0) in.copy("users", {users_, d}, variables_.values().subspan(items() * d));
  network_.prepare();
  projected_items_ = {};
}

void LinnRecommender::save(const std::filesystem::path& path, const Catalogue& catalogue,
                           const ModelNotes& notes) const {
  SafetensorsWriter out;
  write_recommender_header(out, kind_, options_, catalogue, notes);
  add_values(out);
  out.add("likes_of_item", {items()}, std::span(counts_.likes));
  out.add("users_of_item", {items()}, std::span(counts_.users));
  out.add("all_users", {1}, std::span(&counts_.all_users, 1));
  out.write(path);
}

void LinnRecommender::save_state(const std::filesystem::path& path, const ModelNotes& notes) {
  SafetensorsWriter out;
  for (const auto& [key, value] : notes) out.set_metadata(key, value);
  add_values(out);
  add_optimizer(out, *optimizer_);
  if (average_) add_average(out, *average_);
  out.add("epochs", {1}, std::span(epochs_));
  out.write(path);
}

ModelNotes LinnRecommender::load_state(const std::filesystem::path& path) {
  const SafetensorsFile in = SafetensorsFile::read(path);
  read_values(in);
  read_optimizer(in, *optimizer_);
  if (average_) read_average(in, *average_);
  in.copy("epochs", {1}, std::span<std::uint64_t>(epochs_));
  sums_ = {};
  if (step_) step_->scale_laws(law_scale(options_, epochs_[0]));
  ModelNotes notes = in.metadata();
  for (const char* own : {"format", "format_version", "checksum"}) notes.erase(own);  // the file's, not the caller's
  return notes;
}

}  // namespace linn
