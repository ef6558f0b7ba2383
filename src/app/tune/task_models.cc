#include "app/tune/task_models.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/equation_runs.h"
#include "linn/base/error.h"
#include "linn/equations/sequence_options.h"
#include "linn/recommend/protocol/recommend_options.h"

namespace linn::app {
namespace {

constexpr std::string_view kEquationTask = "equations";

}  // namespace

std::vector<std::string_view> model_names(std::string_view task) {
  std::vector<std::string_view> names;
  if (task == kEquationTask) {
    for (const auto& model : equation_models()) names.push_back(model.word);
  } else {
    for (const RecommenderName& model : recommender_names()) names.push_back(model.word);
  }
  return names;
}

bool trains_by_epochs(std::string_view task, std::string_view model) {
  if (task == kEquationTask) {
    return std::ranges::any_of(equation_models(),
                               [&](const auto& one) { return one.word == model && trains_by_epochs(one.value); });
  }
  return std::ranges::any_of(recommender_names(), [&](const RecommenderName& one) {
    return one.word == model && linn::trains_by_epochs(one.kind);
  });
}

bool is_whole_number(std::string_view task, std::string_view model, const std::string& setting) {
  const auto whole = [&](const auto& table) {
    const auto* option = table.find(setting);
    return option != nullptr && option->type == OptionType::kInteger;
  };
  if (task == kEquationTask) {
    const auto kind = sequence_kind(model);
    return kind ? whole(sequence_option_table(*kind)) : whole(equation_option_table());
  }
  return std::ranges::any_of(recommender_names(), [&](const RecommenderName& one) {
    return one.word == model && whole(recommend_option_table(one.kind));
  });
}

std::vector<std::string> default_ranges(std::string_view task, std::string_view model, std::string_view preset) {
  if (model == "popularity" || model == "majority" || model == "exact") {
    throw InputError(fmt::format("the model {} has no settings to search", model));
  }
  if (model == "itemknn") return {"neighbours=20,50,100,200,400", "shrinkage=0..100", "history=10,20,50,0"};
  if (model == "ease") return {"ridge=10..2000:log", "history=10,20,50,100,0"};
  std::vector<std::string> ranges = {"learning_rate=3e-4..1e-2:log", "weight_decay=1e-6..1e-3:log", "dropout=0..0.8"};
  if (model == "linn" && task != kEquationTask) ranges.emplace_back("laws=1e-7..1e-3:log");
  // The preset best teaches the laws of equations before training, not during it.
  if (model == "linn" && task == kEquationTask && preset != "best") ranges.emplace_back("laws=1e-3..1:log");
  return ranges;
}

}  // namespace linn::app
