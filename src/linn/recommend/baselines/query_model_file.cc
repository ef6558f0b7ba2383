// Files of the models with queries: what is saved, and what is needed to go on.
#include <string>

#include "linn/model/checkpoint.h"
#include "linn/recommend/baselines/query_model.h"

namespace linn {
namespace {

constexpr const char* kQuerySumName = "query_sum";

}  // namespace

void QueryModel::add_values(SafetensorsWriter& out, const std::string& prefix) const {
  network_.add_tensors(out, prefix);
}

void QueryModel::add_state(SafetensorsWriter& out, const std::string& prefix) {
  network_.add_tensors(out, prefix);
  add_optimizer(out, optimizer_, prefix);
  if (average_) add_average(out, *average_, prefix);
  out.add(prefix + kQuerySumName, {query_sum_.size()}, std::span(query_sum_));
}

void QueryModel::read_state(const SafetensorsFile& in, const std::string& prefix) {
  network_.read_tensors(in, prefix);
  read_optimizer(in, optimizer_, prefix);
  if (average_) read_average(in, *average_, prefix);
  in.copy(prefix + kQuerySumName, {query_sum_.size()}, std::span<double>(query_sum_));
}

}  // namespace linn
