// What a recommender is asked: recommend, explain, similar, items.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "app/evaluate/recommend_answer.h"
#include "app/serve/problem.h"
#include "app/serve/route_groups.h"
#include "linn/base/utf8.h"

namespace linn::app {
namespace {

constexpr std::size_t kLongestName = 1000;  // bytes of an identifier or a title
constexpr std::size_t kMaxShown = 100;
constexpr std::uint64_t kMostItems = 1'000'000;

std::optional<ItemId> find_item(const ItemFinder& finder, const std::string& name, const std::string& place) {
  try {
    return finder.find(name);
  } catch (const InputError& error) {  // several items have this title
    throw Problem::at(place, error);
  }
}

ItemId require_item(const ItemFinder& finder, const std::string& name, const std::string& place) {
  if (const auto item = find_item(finder, name, place)) return *item;
  throw Problem(400, finder.unknown(name), place);
}

// As parse_history() reads the text of --history: if an item occurs twice, the first occurrence counts.
RecommendQuery read_history(const ItemFinder& finder, const Json& events, bool skip_unknown, const std::string& place) {
  RecommendQuery query;
  std::unordered_set<ItemId> seen;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const std::string at = fmt::format("{}[{}].item", place, i);
    const auto& name = events[i]["item"].get_ref<const std::string&>();
    const auto item = find_item(finder, name, at);
    if (!item) {
      if (!skip_unknown) throw Problem(400, finder.unknown(name), at);
      query.skipped.push_back(printable(name, kMaxShown));
    } else if (seen.insert(*item).second) {
      query.history.push_back({*item, events[i]["liked"].get<bool>()});
    }
  }
  return query;
}

// The history of a body, or that of its user in the data.
RecommendQuery read_query(const ServedRecommender& recommender, const Json& body) {
  const RecommendSession& session = recommender.session();
  const Json& user = body["user"];
  if (body["history"].is_null()) {
    if (user.is_null()) throw Problem(400, "expected a history, or a user whose history is in the data", "history");
    try {
      return recommender.user_query(user.get<std::string>());
    } catch (const InputError& error) {
      throw Problem::at("user", error);
    }
  }
  RecommendQuery query = read_history(session.finder(), body["history"], body["unknown"] == "skip", "history");
  if (!user.is_null()) {
    const auto& name = user.get_ref<const std::string&>();
    query.user_name = name;
    if (!name.empty()) query.user = session.catalogue().users.find(name);
  }
  return query;
}

// As with the files of --exclude and --only, an unknown item to be excluded is ignored.
ItemChoice read_choice(const RecommendSession& session, const Json& body) {
  const ItemFinder& finder = session.finder();
  const std::size_t items = session.catalogue().items.size();
  std::vector<ItemId> exclude;
  for (std::size_t i = 0; i < body["exclude"].size(); ++i) {
    const auto item =
        find_item(finder, body["exclude"][i].get_ref<const std::string&>(), fmt::format("exclude[{}]", i));
    if (item) exclude.push_back(*item);
  }
  if (body["only"].is_null()) return {items, std::nullopt, exclude};
  std::vector<ItemId> only;
  for (std::size_t i = 0; i < body["only"].size(); ++i) {
    only.push_back(require_item(finder, body["only"][i].get_ref<const std::string&>(), fmt::format("only[{}]", i)));
  }
  return {items, only, exclude};
}

// An answer may have many times as many reasons as the request has bytes.
void check_reasons(std::size_t count, std::size_t most) {
  if (count <= most) return;
  throw Problem(400,
                fmt::format("these are up to {} reasons, items times events; at most {} are given in an answer: ask "
                            "for fewer items or histories, or without reasons",
                            count, most),
                "n");
}

HttpResponse recommend_items(const Call& call, std::size_t most_reasons) {
  const ServedRecommender& recommender = call.model->recommender();
  const RecommendSession& session = recommender.session();
  const TopItemsOptions top = {call.body["n"].get<std::size_t>(), call.body["include_seen"].get<bool>(),
                               read_choice(session, call.body)};
  const bool explained = call.body["explain"].get<bool>();
  ThreadPool alone(1, call.time.stop);
  const Json& histories = call.body["histories"];
  if (histories.is_null()) {
    RecommendQuery query = read_query(recommender, call.body);
    if (explained) check_reasons(top.count * query.history.size(), most_reasons);
    return HttpResponse::json(to_json(session, recommend(session, std::move(query), top, explained, alone)));
  }
  if (!call.body["history"].is_null()) throw Problem(400, "give either a history or histories", "histories");
  if (!call.body["user"].is_null()) throw Problem(400, "a user goes with one history", "user");
  std::vector<RecommendQuery> queries;
  for (std::size_t i = 0; i < histories.size(); ++i) {
    queries.push_back(
        read_history(session.finder(), histories[i], call.body["unknown"] == "skip", fmt::format("histories[{}]", i)));
  }
  std::size_t events = 0;
  for (const RecommendQuery& query : queries) events += query.history.size();
  if (explained) check_reasons(top.count * events, most_reasons);
  Json results = Json::array();
  for (RecommendQuery& query : queries) {
    call.time.check();
    results.push_back(to_json(session, recommend(session, std::move(query), top, explained, alone)));
  }
  return HttpResponse::json({{"results", std::move(results)}});
}

HttpResponse explain_one(const Call& call) {
  const ServedRecommender& recommender = call.model->recommender();
  const RecommendSession& session = recommender.session();
  const ItemId item = require_item(session.finder(), call.body["item"].get_ref<const std::string&>(), "item");
  const RecommendQuery query = read_query(recommender, call.body);
  ThreadPool alone(1, call.time.stop);
  return HttpResponse::json(to_json(session, query, explain_item(session, query, item, alone)));
}

HttpResponse similar(const Call& call) {
  const RecommendSession& session = call.model->recommender().session();
  const ItemId item = require_item(session.finder(), call.query["item"].get_ref<const std::string&>(), "item");
  TopItemsOptions top;
  top.count = call.query["limit"].get<std::size_t>();
  ThreadPool alone(1, call.time.stop);
  return HttpResponse::json(to_json(session, item, similar_items(session.model(), item, top, alone)));
}

Json catalogue_entry(const RecommendSession& session, ItemId item) {
  Json entry = {{"item", session.catalogue().items.name(item)},
                {"title", session.catalogue().title(item)},
                {"likes", nullptr},
                {"users", nullptr}};
  if (const Reasoning* reasoning = session.model().reasoning()) {
    entry["likes"] = reasoning->counts().likes[item];
    entry["users"] = reasoning->counts().users[item];
  }
  return entry;
}

HttpResponse items(const Call& call) {
  const ServedRecommender& recommender = call.model->recommender();
  const RecommendSession& session = recommender.session();
  Json found = Json::array();
  if (!call.query["id"].is_null()) {
    for (const Json& id : call.query["id"]) {
      const auto item = session.catalogue().items.find(id.get_ref<const std::string&>());
      if (item) found.push_back(catalogue_entry(session, *item));
    }
    const std::size_t total = found.size();
    return HttpResponse::json({{"items", std::move(found)}, {"total", total}});
  }
  const std::string text = fold_case(call.query["q"].get_ref<const std::string&>());
  const auto limit = call.query["limit"].get<std::size_t>();
  const auto offset = call.query["offset"].get<std::size_t>();
  std::size_t total = 0;
  for (const ItemId item : recommender.by_popularity()) {
    if (recommender.searched(item).find(text) == std::string_view::npos) continue;
    if (total >= offset && found.size() < limit) found.push_back(catalogue_entry(session, item));
    ++total;
  }
  return HttpResponse::json({{"items", std::move(found)}, {"total", total}});
}

}  // namespace

std::vector<Schema::Field> search_parameters(const std::string& what, const ServeLimits& limits) {
  return {{"q", Schema::text("Part of " + what + "; case does not matter", kLongestName).initially("")},
          {"limit", Schema::whole("How many at most", 1, limits.list, std::min<std::size_t>(20, limits.list))},
          {"offset", Schema::whole("How many to leave out first", 0, kMostItems, 0)}};
}

void add_recommend_routes(const ServeLimits& limits, std::vector<Route>& routes) {
  const Schema item = Schema::text("An item, by identifier or by a title that no other item has", kLongestName);
  const Schema event =
      Schema::object("", {required("item", item), {"liked", Schema::flag("Liked, or disliked", true)}});
  const Schema history = Schema::list("Likes and dislikes, oldest first; empty: a new user", event, limits.list);
  const Schema optional_history = Schema(history).or_null().example(
      Json::array({{{"item", "50"}, {"liked", true}}, {{"item", "181"}, {"liked", false}}}));
  const Schema user =
      Schema::text("A user. Without a history, that of the data the run was trained on is taken", kLongestName)
          .or_null();
  const Schema unknown =
      Schema::choice("What to do about items of a history that the model does not know", {"refuse", "skip"}, "refuse");

  Route recommend;
  recommend.method = "POST";
  recommend.path = "/v1/models/{model}/recommend";
  recommend.id = "recommend";
  recommend.summary = "The best items for a history, or for each of several";
  recommend.needs = Route::Needs::kModel;
  recommend.body = Schema::object(
      "", {{"history", optional_history},
           {"histories", Schema::list("Several histories, in place of one", history, limits.list).or_null()},
           {"n", Schema::whole("How many items", 1, limits.list, std::min<std::size_t>(10, limits.list))},
           {"user", user},
           {"exclude", Schema::list("Items not to recommend", item, limits.list).initially(Json::array())},
           {"only", Schema::list("Recommend from these items alone", item, limits.list).or_null()},
           {"explain", Schema::flag("Say why", true)},
           {"include_seen", Schema::flag("Also recommend items of the history", false)},
           {"unknown", unknown}});
  recommend.answer = "`items`, as `linn recommend --json`; for several histories `results`, a list of the same";
  recommend.handle = Route::at_once([most = limits.reasons](const Call& call) { return recommend_items(call, most); });
  routes.push_back(std::move(recommend));

  Route explain;
  explain.method = "POST";
  explain.path = "/v1/models/{model}/explain";
  explain.id = "explain";
  explain.summary = "Which events of a history argue for or against an item";
  explain.needs = Route::Needs::kModel;
  explain.body = Schema::object("", {{"history", optional_history},
                                     required("item", Schema(item).example("7")),
                                     {"user", user},
                                     {"unknown", unknown}});
  explain.answer = "The item with `because`, as `linn explain --json`";
  explain.handle = Route::at_once(explain_one);
  routes.push_back(std::move(explain));

  Route similar_route;
  similar_route.method = "GET";
  similar_route.path = "/v1/models/{model}/similar";
  similar_route.id = "similar";
  similar_route.summary = "The items that go with an item";
  similar_route.needs = Route::Needs::kModel;
  similar_route.query = {
      required("item", Schema(item).example("50")),
      {"limit", Schema::whole("How many at most", 1, limits.list, std::min<std::size_t>(10, limits.list))}};
  similar_route.answer = "`items`, as `linn similar --json`";
  similar_route.handle = Route::at_once(similar);
  routes.push_back(std::move(similar_route));

  Route items_route;
  items_route.method = "GET";
  items_route.path = "/v1/models/{model}/items";
  items_route.id = "items";
  items_route.summary = "The items whose title or identifier contains a text, popular ones first";
  items_route.needs = Route::Needs::kModel;
  items_route.query = search_parameters("a title or identifier", limits);
  items_route.query.push_back(
      {"id", Schema::list("Exactly these identifiers, in this order", Schema::text("", kLongestName), limits.list)
                 .or_null()});
  items_route.answer =
      "`items` with `item`, `title`, `likes` and `users` of the training, and how many there are, `total`";
  items_route.handle = Route::at_once(items);
  routes.push_back(std::move(items_route));
}

}  // namespace linn::app
