// Files of the models with queries: what is saved, and what is needed to go on.
#include <fmt/format.h>

#include <string>

#include "linn/base/error.h"
#include "linn/model/checkpoint.h"
#include "linn/recommend/query_model.h"

namespace linn {
namespace {

constexpr std::string_view kStateKey = "state_of";
constexpr std::string_view kQuerySumName = "query_sum";

}  // namespace

void QueryModel::save(const std::filesystem::path& path, const Catalogue& catalogue, const ModelNotes& notes) const {
  SafetensorsWriter out;
  write_recommender_header(out, network_.kind(), options_, catalogue, notes);
  network_.add_tensors(out);
  out.write(path);
}

std::unique_ptr<Recommender> load_query_model(const SafetensorsFile& in, const RecommenderHeader& header) {
  auto model = std::make_unique<QueryModel>(header.kind, header.options, header.catalogue.users.size(),
                                            header.catalogue.items.size());
  model->network().read_tensors(in);
  return model;
}

void QueryModel::save_state(const std::filesystem::path& path, const ModelNotes& notes) {
  SafetensorsWriter out;
  for (const auto& [key, value] : notes) out.set_metadata(key, value);
  out.set_metadata(std::string(kStateKey), std::string(word_of(network_.kind())));
  network_.add_tensors(out);
  add_optimizer(out, optimizer_);
  if (average_) add_average(out, *average_);
  out.add(kQuerySumName, {query_sum_.size()}, std::span(query_sum_));
  out.write(path);
}

ModelNotes QueryModel::load_state(const std::filesystem::path& path) {
  const SafetensorsFile in = SafetensorsFile::read(path);
  if (in.metadata(kStateKey) != word_of(network_.kind())) {
    throw InputError(fmt::format("this state belongs to a model '{}'", in.metadata(kStateKey)),
                     Place{path.string(), 0, 0});
  }
  network_.read_tensors(in);
  read_optimizer(in, optimizer_);
  if (average_) read_average(in, *average_);
  in.copy(kQuerySumName, {query_sum_.size()}, std::span<double>(query_sum_));
  ModelNotes notes = in.metadata();
  notes.erase(std::string(kStateKey));
  return notes;
}

}  // namespace linn
