// LinnRecommender in files. A model holds a tensor for each matrix of the modules, T as `true`, the vectors as `items`
// and, if users have any, `users`, and the counts of the training rows. A state holds the same and the optimizer.
#include "linn/model/checkpoint.h"
#include "linn/recommend/linn/linn_recommender.h"

namespace linn {
namespace {

ItemCounts read_counts(const SafetensorsFile& in, const std::string& prefix, std::size_t items) {
  ItemCounts counts;
  counts.likes.resize(items);
  counts.users.resize(items);
  in.copy(prefix + "likes_of_item", {items}, std::span(counts.likes));
  in.copy(prefix + "users_of_item", {items}, std::span(counts.users));
  in.copy(prefix + "all_users", {1}, std::span(&counts.all_users, 1));
  return counts;
}

}  // namespace

LinnRecommender::LinnRecommender(const LinnRecommenderOptions& options, const SafetensorsFile& in,
                                 const Catalogue& catalogue, const std::string& prefix)
    : LinnRecommender(options, catalogue.users.size(), read_counts(in, prefix, catalogue.items.size())) {
  read_vectors(in, prefix);
}

void LinnRecommender::add_vectors(SafetensorsWriter& out, const std::string& prefix) const {
  add_parameters(out, network_.parameters(), prefix);
  const std::size_t d = network_.width();
  out.add(prefix + "true", {d}, network_.true_vector());
  out.add(prefix + "items", {items(), d}, variables_.values().first(items() * d));
  if (users_ > 0) out.add(prefix + "users", {users_, d}, variables_.values().subspan(items() * d));
}

void LinnRecommender::read_vectors(const SafetensorsFile& in, const std::string& prefix) {
  read_parameters(in, network_.parameters(), prefix);
  const std::size_t d = network_.width();
  in.copy(prefix + "true", {d}, network_.true_vector());
  in.copy(prefix + "items", {items(), d}, variables_.values().first(items() * d));
  if (users_ > 0) in.copy(prefix + "users", {users_, d}, variables_.values().subspan(items() * d));
  network_.prepare();
  projected_items_ = {};
}

void LinnRecommender::add_values(SafetensorsWriter& out, const std::string& prefix) const {
  add_vectors(out, prefix);
  out.add(prefix + "likes_of_item", {items()}, std::span(counts_.likes));
  out.add(prefix + "users_of_item", {items()}, std::span(counts_.users));
  out.add(prefix + "all_users", {1}, std::span(&counts_.all_users, 1));
}

void LinnRecommender::add_state(SafetensorsWriter& out, const std::string& prefix) {
  add_vectors(out, prefix);
  add_optimizer(out, *optimizer_, prefix);
  if (average_) add_average(out, *average_, prefix);
  out.add(prefix + "epochs", {1}, std::span(epochs_));
}

void LinnRecommender::read_state(const SafetensorsFile& in, const std::string& prefix) {
  read_vectors(in, prefix);
  read_optimizer(in, *optimizer_, prefix);
  if (average_) read_average(in, *average_, prefix);
  in.copy(prefix + "epochs", {1}, std::span<std::uint64_t>(epochs_));
  sums_ = {};
  if (step_) step_->scale_laws(law_scale(options_, epochs_[0], options_.epochs));
}

}  // namespace linn
