#include "app/evaluate/recommend_session.h"

#include <fmt/format.h>

#include <utility>

#include "linn/base/error.h"
#include "linn/base/logistic.h"
#include "linn/base/utf8.h"

namespace linn::app {
namespace {

constexpr std::size_t kReasonsInWords = 3;
constexpr std::size_t kLongestUserName = 200;  // characters of a name that is in no catalogue

}  // namespace

RecommendSession::RecommendSession(const std::string& run, std::size_t threads)
    : run_(run), finder_(catalogue()), threads_(threads) {}

RecommendQuery RecommendSession::parse_query(std::string_view history, std::string_view user,
                                             UnknownItems unknown) const {
  ParsedHistory parsed = parse_history(history, finder_, unknown);
  return {printable(user, kLongestUserName), user.empty() ? std::nullopt : catalogue().users.find(user),
          std::move(parsed.events), std::move(parsed.skipped)};
}

RecommendQuery RecommendSession::user_query(const std::string& user, const std::string& data) const {
  const FittedData fitted = run_.read_data(data);
  return user_query(user, fitted, Histories(fitted.data));
}

RecommendQuery RecommendSession::user_query(const std::string& user, const FittedData& fitted,
                                            const Histories& histories) const {
  const auto id = fitted.data.users.find(user);
  if (!id) throw InputError(fmt::format("the data has no user '{}'", user));
  const auto events = histories.events(*id);
  return {user, *id < fitted.known_users ? std::optional(*id) : std::nullopt, {events.begin(), events.end()}, {}};
}

std::string RecommendSession::long_name(ItemId item) const {
  const std::string& name = catalogue().name(item);
  const std::string& identifier = catalogue().items.name(item);
  return name == identifier ? identifier : fmt::format("{} [{}]", name, identifier);
}

std::string RecommendSession::score_text(float score) const {
  return fmt::format("{:.4f}", scores_truths() ? logistic(score) : score);
}

Json RecommendSession::item_json(ItemId item, float score) const {
  Json entry = {{"item", catalogue().items.name(item)}, {"title", catalogue().title(item)}, {"score", score}};
  if (scores_truths()) entry["probability"] = logistic(score);
  return entry;
}

Json RecommendSession::item_json(ItemId item, float score, const Explanation& explanation) const {
  Json because = Json::array();
  for (const Reason& reason : explanation.reasons) {
    const ItemId past = reason.event.item;
    because.push_back({{"item", catalogue().items.name(past)},
                       {"title", catalogue().title(past)},
                       {"liked", reason.event.liked},
                       {"weight", reason.weight ? Json(*reason.weight) : Json(nullptr)},
                       {"effect", reason.effect},
                       {"drop", reason.drop}});
    if (reason.share) because.back()["share"] = *reason.share;
  }
  Json entry = item_json(item, score);
  if (explanation.base) entry["base"] = *explanation.base;
  entry["because"] = std::move(because);
  entry["words"] = words(explanation);
  return entry;
}

std::string RecommendSession::words(const Explanation& explanation) const {
  return in_words(explanation, kReasonsInWords, [&](ItemId item) { return catalogue().name(item); });
}

}  // namespace linn::app
