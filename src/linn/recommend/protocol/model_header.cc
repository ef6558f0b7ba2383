#include "linn/recommend/protocol/model_header.h"

#include <fmt/format.h>

#include "linn/base/error.h"
#include "linn/base/json.h"
#include "linn/model/names_json.h"
#include "linn/model/options_json.h"

namespace linn {
namespace {

constexpr std::string_view kModelKey = "model";
constexpr std::string_view kOptionsKey = "options";
constexpr std::string_view kItemsKey = "items";
constexpr std::string_view kUsersKey = "users";
constexpr std::string_view kTitlesKey = "titles";

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw InputError(why, Place{path.string(), 0, 0});
}

RecommenderKind kind_of(const std::string& word, const std::filesystem::path& path) {
  for (const RecommenderName& name : recommender_names()) {
    if (name.word == word) return name.kind;
  }
  refuse(path, fmt::format("a model of the kind '{}' recommends nothing", word));
}

RecommendOptions options_of(RecommenderKind kind, const std::string& text, const std::filesystem::path& path) {
  // What the model does not read is as the kind has it.
  RecommendOptions options = recommend_preset(RecommendPreset::kBest, kind, {});
  options_from_json(recommend_option_table(kind), text, path, options);
  return options;
}

std::vector<std::string> titles_of(const std::string& text, std::size_t items, const std::filesystem::path& path) {
  const Json list = Json::parse(text, nullptr, false);
  if (!list.is_array()) refuse(path, "the titles are not a JSON list");
  if (!list.empty() && list.size() != items) refuse(path, "there are not as many titles as items");
  std::vector<std::string> titles;
  for (const auto& title : list) {
    if (!title.is_string()) refuse(path, "a title is not text");
    titles.push_back(title.get<std::string>());
  }
  return titles;
}

// The options that a model reads.
std::string recommend_options_to_json(RecommenderKind kind, const RecommendOptions& options) {
  return options_to_json(recommend_option_table(kind), options);
}

}  // namespace

void write_recommender_header(SafetensorsWriter& out, RecommenderKind kind, const RecommendOptions& options,
                              const Catalogue& catalogue, const ModelNotes& notes) {
  for (const auto& [key, value] : notes) out.set_metadata(key, value);
  out.set_metadata(std::string(kModelKey), std::string(word_of(kind)));
  out.set_metadata(std::string(kOptionsKey), recommend_options_to_json(kind, options));
  out.set_metadata(std::string(kItemsKey), names_to_json(catalogue.items));
  out.set_metadata(std::string(kUsersKey), names_to_json(catalogue.users));
  // A title is for people alone: what is not UTF-8 in it is shown as such rather than refused.
  out.set_metadata(std::string(kTitlesKey),
                   Json(catalogue.titles).dump(-1, ' ', false, Json::error_handler_t::replace));
}

RecommenderHeader read_recommender_header(const SafetensorsFile& in) {
  RecommenderHeader header;
  header.kind = kind_of(in.metadata(kModelKey), in.path());
  header.options = options_of(header.kind, in.metadata(kOptionsKey), in.path());
  header.catalogue.items = names_from_json(in.metadata(kItemsKey), in.path());
  header.catalogue.users = names_from_json(in.metadata(kUsersKey), in.path());
  header.catalogue.titles = titles_of(in.metadata(kTitlesKey), header.catalogue.items.size(), in.path());
  return header;
}

}  // namespace linn
