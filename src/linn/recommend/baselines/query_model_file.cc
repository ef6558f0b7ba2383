// Files of the models with queries: what is saved, and what is needed to go on.
#include <fmt/format.h>

#include <string>

#include "linn/base/error.h"
#include "linn/model/checkpoint.h"
#include "linn/recommend/baselines/query_model.h"

namespace linn {
namespace {

constexpr const char* kStateKey = "state_of";
constexpr const char* kQuerySumName = "query_sum";

}  // namespace

void QueryModel::add_values(SafetensorsWriter& out, const std::string& prefix) const {
  network_.add_tensors(out, prefix);
}

void QueryModel::save(const std::filesystem::path& path, const Catalogue& catalogue, const ModelNotes& notes) const {
  SafetensorsWriter out;
  write_recommender_header(out, network_.kind(), options_, catalogue, notes);
  add_values(out, {});
  out.write(path);
}

std::unique_ptr<TrainableRankingModel> load_query_model(const SafetensorsFile& in, const RecommenderHeader& header,
                                                        const std::string& prefix) {
  auto model = std::make_unique<QueryModel>(header.kind, header.options, header.catalogue.users.size(),
                                            header.catalogue.items.size());
  model->network().read_tensors(in, prefix);
  return model;
}

void QueryModel::add_state(SafetensorsWriter& out, const std::string& prefix) {
  out.set_metadata(kStateKey, std::string(word_of(network_.kind())));
  network_.add_tensors(out, prefix);
  add_optimizer(out, optimizer_, prefix);
  if (average_) add_average(out, *average_, prefix);
  out.add(prefix + kQuerySumName, {query_sum_.size()}, std::span(query_sum_));
}

void QueryModel::read_state(const SafetensorsFile& in, const std::string& prefix) {
  if (in.metadata(kStateKey) != word_of(network_.kind())) {
    throw InputError(fmt::format("this state belongs to a model '{}'", in.metadata(kStateKey)),
                     Place{in.path().string(), 0, 0});
  }
  network_.read_tensors(in, prefix);
  read_optimizer(in, optimizer_, prefix);
  if (average_) read_average(in, *average_, prefix);
  in.copy(prefix + kQuerySumName, {query_sum_.size()}, std::span<double>(query_sum_));
}

}  // namespace linn
