#include "app/evaluate/cooccurrence_of_run.h"

#include "app/evaluate/recommender_run.h"
#include "linn/recommend/linn/cooccurrence.h"
#include "linn/recommend/protocol/history_text.h"

namespace linn::app {

std::optional<RunCooccurrence> cooccurrence_of_run(const CooccurrenceOptions& options, ThreadPool& threads) {
  const RecommenderRun run(options.run);
  const Reasoning* reasoning = run.trained.model->reasoning();
  if (reasoning == nullptr) return std::nullopt;
  const Catalogue& catalogue = run.trained.catalogue;
  Random random(options.seed);
  const std::vector<ItemId> items = options.items.empty() ? items_over_popularity(reasoning->counts(), random)
                                                          : parse_items(options.items, ItemFinder(catalogue));
  RunCooccurrence result;
  for (const ItemId item : items) {
    result.items.push_back(
        {catalogue.items.name(item), std::string(catalogue.title(item)), reasoning->counts().users[item]});
  }
  result.values = cooccurrence(*reasoning, items, threads);
  result.mean_asymmetry = mean_asymmetry(*reasoning, kAsymmetryPairs, random, threads);
  return result;
}

Json to_json(const RunCooccurrence& result) {
  Json items = Json::array();
  Json values = Json::array();
  const auto n = static_cast<std::ptrdiff_t>(result.items.size());
  for (const RunCooccurrence::Item& item : result.items) {
    items.push_back({{"item", item.id}, {"title", item.title}, {"users", item.users}});
    const auto row = result.values.begin() + n * static_cast<std::ptrdiff_t>(values.size());
    values.push_back(std::vector<float>(row, row + n));
  }
  return {{"items", items}, {"values", values}, {"mean_asymmetry", result.mean_asymmetry}};
}

RunCooccurrence cooccurrence_from_json(const Json& object) {
  RunCooccurrence result;
  for (const Json& item : object.at("items")) {
    result.items.push_back(
        {item.at("item").get<std::string>(), item.at("title").get<std::string>(), item.at("users").get<std::size_t>()});
  }
  for (const Json& row : object.at("values")) {
    for (const Json& value : row) result.values.push_back(value.get<float>());
  }
  result.mean_asymmetry = object.at("mean_asymmetry").get<double>();
  return result;
}

}  // namespace linn::app
