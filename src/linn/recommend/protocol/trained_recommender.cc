#include "linn/recommend/protocol/trained_recommender.h"

#include <fmt/format.h>

#include "linn/base/error.h"
#include "linn/base/json.h"
#include "linn/data/interactions.h"
#include "linn/model/names_json.h"
#include "linn/model/options_json.h"
#include "linn/recommend/protocol/ranking_ensemble.h"

namespace linn {
namespace {

constexpr const char* kModelKey = "model";
constexpr const char* kOptionsKey = "options";
constexpr const char* kItemsKey = "items";
constexpr const char* kUsersKey = "users";
constexpr const char* kTitlesKey = "titles";
constexpr const char* kNotesKey = "notes";

std::vector<std::string> read_titles(const SafetensorsFile& in, std::size_t items) {
  const Json list = parse_json(in.metadata(kTitlesKey));
  if (!list.is_array()) throw in.error("the titles are not a JSON list");
  if (!list.empty() && list.size() != items) {
    throw in.error(fmt::format("there are {} titles for {} items", list.size(), items));
  }
  std::vector<std::string> titles;
  for (const auto& title : list) {
    if (!title.is_string()) throw in.error("a title is not a string");
    titles.push_back(clean_title(title.get<std::string>()));
  }
  return titles;
}

std::map<std::string, std::string> read_notes(const SafetensorsFile& in) {
  std::map<std::string, std::string> notes;
  if (!in.metadata().contains(kNotesKey)) return notes;
  const Json object = parse_json(in.metadata(kNotesKey));
  if (!object.is_object()) throw in.error("the notes are not a JSON object");
  for (const auto& [name, note] : object.items()) {
    if (!note.is_string()) throw in.error("a note is not a string");
    notes[name] = note.get<std::string>();
  }
  return notes;
}

std::size_t ensemble_of(const RecommenderKind& kind, const Settings& settings) {
  const EpochRankingOptions* training = kind.training(settings);
  return training == nullptr ? 1 : training->ensemble;
}

// The model, or the ensemble of models.
std::unique_ptr<RankingModel> load_model(const RecommenderDescription& description, const SafetensorsFile& in) {
  const std::size_t ensemble = ensemble_of(*description.kind, *description.settings);
  const auto load = [&](const std::string& prefix) {
    return description.kind->load(*description.settings, in, description.catalogue, prefix);
  };
  if (ensemble == 1) return load({});
  std::vector<std::unique_ptr<RankingModel>> members;
  for (std::size_t i = 0; i < ensemble; ++i) members.push_back(load(member_prefix(i)));
  return std::make_unique<RankingEnsemble>(std::move(members));
}

}  // namespace

void RecommenderDescription::write(SafetensorsWriter& out) const {
  out.set_metadata(kModelKey, std::string(kind->name()));
  out.set_metadata(kOptionsKey, settings_to_json(*settings).dump());
  out.set_metadata(kItemsKey, names_to_json(catalogue.items));
  out.set_metadata(kUsersKey, names_to_json(catalogue.users));
  // Titles are for display only, so invalid UTF-8 is replaced instead of rejected.
  out.set_metadata(kTitlesKey, Json(catalogue.titles).dump(-1, ' ', false, Json::error_handler_t::replace));
  if (!notes.empty()) out.set_metadata(kNotesKey, Json(notes).dump());
}

void TrainedRecommender::write(SafetensorsWriter& out) const {
  RecommenderDescription::write(out);
  model->add_values(out, {});
}

Catalogue read_catalogue(const SafetensorsFile& in) {
  Catalogue catalogue;
  catalogue.items = names_from_json(in.metadata(kItemsKey), in.path());
  catalogue.users = names_from_json(in.metadata(kUsersKey), in.path());
  catalogue.titles = read_titles(in, catalogue.items.size());
  return catalogue;
}

TrainedRecommender load_recommender(const SafetensorsFile& in, const Registry<RecommenderKind>& kinds) {
  const std::string& name = in.metadata(kModelKey);
  const RecommenderKind* kind = kinds.find(name);
  if (kind == nullptr) throw in.error(fmt::format("'{}' is not a kind of recommender", name));
  return load_recommender(in, *kind);
}

TrainedRecommender load_recommender(const SafetensorsFile& in, const RecommenderKind& kind) {
  TrainedRecommender loaded;
  loaded.kind = &kind;
  try {
    loaded.settings = kind.stored_settings(values_from_json(in.metadata(kOptionsKey), in.path()));
  } catch (const InputError& error) {
    throw in.error(error.message());
  }
  loaded.catalogue = read_catalogue(in);
  loaded.notes = read_notes(in);
  loaded.model = build_model(in, [&] { return load_model(loaded, in); });
  return loaded;
}

std::unique_ptr<TrainableRankingModel> make_ranking_model(const RecommenderKind& kind, const Settings& settings,
                                                          const Histories& histories, Context& context) {
  const std::size_t ensemble = ensemble_of(kind, settings);
  if (ensemble == 1) return kind.make(settings, histories, context);
  std::vector<std::unique_ptr<TrainableRankingModel>> members;
  for (std::size_t i = 0; i < ensemble; ++i) {
    Context own(context.random(kMemberStream + i).next());
    own.set_device(context.device());
    members.push_back(kind.make(settings, histories, own));
  }
  return std::make_unique<TrainableEnsemble>(std::move(members));
}

}  // namespace linn
